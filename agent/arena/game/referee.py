"""Whether a client's action counts: the venue's checks in their order, with the code of the first that fails."""

from dataclasses import replace

from agent.arena.game.account import Account
from agent.arena.game.refusal import RefusedError
from agent.arena.game.table import Table
from agent.arena.wire import frames as wire
from agent.openpoker.frames import Frame, whole_chips
from agent.poker.spot import Action, Verb


def receive_action(account: Account, table: Table | None, request: Frame) -> bool:
    """Answer an `action` message: play it, repeat the earlier answer to an exact retry, or refuse it.

    False for a refusal, which neither consumes the turn nor touches its clock.
    """
    action_id = request.get("client_action_id")
    answered = account.answers.get(action_id) if isinstance(action_id, str) else None
    if answered is not None and answered.request == request:
        account.send(answered.ack)
        return True
    try:
        if answered is not None:
            raise RefusedError("action_id_conflict", "this client_action_id was used for another action")
        action = judge(account, table, request)
    except RefusedError as refusal:
        repeated = account.stats.repeated + account.has_answered(request.get("turn_token"))
        account.stats = replace(account.stats, rejected=account.stats.rejected + 1, repeated=repeated)
        account.rejections[refusal.code] += 1
        table_id = table.table_id if table is not None else None
        account.send(wire.action_rejected(refusal.code, refusal.reason, request, table_id))
        return False
    if table is not None:
        table.accept(request, action)
    return True


def judge(account: Account, table: Table | None, request: Frame) -> Action:
    """The action that a request asks for; raises `RefusedError` unless it is legal on the client's open turn."""
    if not isinstance(request.get("client_action_id"), str) or not request["client_action_id"]:
        raise RefusedError("missing_action_id", "client_action_id is required")
    if not isinstance(request.get("turn_token"), str):
        raise RefusedError("legacy_action_protocol", "turn_token is required")
    if table is None:
        raise RefusedError("not_at_table", "you have no seat")
    _check_turn(account, table, request)
    return _legal_action(table, request)


def _check_turn(account: Account, table: Table, request: Frame) -> None:
    hand = table.hand
    if hand is not None and request.get("hand_id") != hand.hand_id:
        raise RefusedError("stale_hand_action", "hand_id is not the hand being played")
    if hand is None or hand.settlement is not None:
        raise RefusedError("no_hand_in_progress", "no hand is being played")
    if account.has_answered(request["turn_token"]):
        raise RefusedError("stale_turn_token", "this turn was already answered")
    if table.turn is None or table.turn.seat.account is not account:
        raise RefusedError("not_your_turn", "another player must act")
    if request["turn_token"] != table.turn.token:
        raise RefusedError("stale_turn_token", "turn_token is not the one of your open turn")


def _legal_action(table: Table, request: Frame) -> Action:
    try:
        verb = Verb(str(request.get("action")))
    except ValueError:
        raise RefusedError("invalid_action", f"there is no action {request.get('action')!r}") from None
    action = Action(verb, whole_chips(request.get("amount")) if verb is Verb.RAISE else None)
    if table.hand is None or not table.hand.legal().allows(action):
        raise RefusedError("invalid_action", f"{action} is not among your valid actions")
    return action
