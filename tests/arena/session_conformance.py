"""What the frames of a whole session must be like together: a checker written from the protocol document alone.

`session_problems` takes everything that one client got, over any number of connections, and names what contradicts
the document: order and numbers (sections 2 and 3), what surrounds an action, and how the frames of a hand add up.
It relies on frames that `conformance.problems` accepts. Frames lost with a connection are no problem.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from tests.arena.shapes import BOARD_CARDS, Frame
from tests.arena.snapshot_shape import may_act

Rule = Callable[[list[Frame]], Iterator[str]]

_SHOWN: Final = frozenset({"table_state"})
_FOLLOWED_BY: Final = {
    "table_joined": _SHOWN,
    "hand_start": frozenset({"hole_cards", "table_state"}),
    "hole_cards": _SHOWN,
    "your_turn": _SHOWN,
    "action_ack": frozenset({"player_action"}),
    "player_action": _SHOWN,
    "community_cards": _SHOWN,
    "player_joined": _SHOWN,
}
_PRECEDED_BY: Final = {
    "hole_cards": frozenset({"hand_start"}),
    "your_turn": _SHOWN,
    "action_ack": _SHOWN,
    "player_action": frozenset({"table_state", "action_ack"}),
    "community_cards": _SHOWN,
    "hand_result": _SHOWN,
}


def session_problems(frames: Sequence[Frame]) -> list[str]:
    """Everything in a client's frames, in the order it got them, that contradicts the document."""
    told = _told(_connections(frames))
    found = [*_numbers_grow(told), *_replays_repeat_what_was_told(frames, told), *_tokens_are_new(frames)]
    for connection in told:
        found += [wrong for rule in _CONNECTION_RULES for wrong in rule(connection)]
        for hand in whole_hands(connection):
            found += [f"hand {hand[0]['hand_id']}: {wrong}" for rule in _HAND_RULES for wrong in rule(hand)]
    return found


def whole_hands(frames: Iterable[Frame]) -> Iterator[list[Frame]]:
    """The frames of each hand that was seen from `hand_start` to `hand_result`."""
    hand: list[Frame] = []
    for frame in frames:
        if frame["type"] == "hand_start":
            hand = [frame]
        elif hand:
            hand.append(frame)
            if frame["type"] == "hand_result":
                yield hand
                hand = []


def of(frames: Iterable[Frame], kind: str) -> list[Frame]:
    """The frames of that type."""
    return [frame for frame in frames if frame["type"] == kind]


def _connections(frames: Iterable[Frame]) -> list[list[Frame]]:
    parts: list[list[Frame]] = [[]]
    for frame in frames:
        if frame["type"] == "connected":
            parts.append([])
        parts[-1].append(frame)
    return parts


def _told(connections: Iterable[list[Frame]]) -> list[list[Frame]]:
    """The numbered frames of tables by connection, without resync responses and repeated acknowledgements."""
    newest: dict[str, int] = {}
    told = []
    for number, frames in enumerate(connections):
        kept: list[Frame] = []
        for frame in frames:
            if "table_seq" not in frame or frame["type"] == "resync_response":
                continue
            if frame["type"] == "action_ack" and _is_repeated(frame, kept, newest, is_first=number < 2):
                continue
            newest[frame["table_id"]] = max(frame["table_seq"], newest.get(frame["table_id"], 0))
            kept.append(frame)
        told.append(kept)
    return told


def _is_repeated(ack: Frame, before: list[Frame], newest: Mapping[str, int], *, is_first: bool) -> bool:
    """Whether an acknowledgement answers a retry: it keeps its old number, or answers nothing on this connection."""
    is_awaited = bool(before) and before[-1]["type"] == "table_state" and may_act(before[-1])
    return ack["table_seq"] <= newest.get(ack["table_id"], 0) or not (is_first or is_awaited)


def _name(frame: Frame) -> str:
    return f"{frame['type']} {frame['table_seq']}"


# Over all connections


def _numbers_grow(told: Sequence[list[Frame]]) -> Iterator[str]:
    """`table_seq` only grows; `hand_seq` begins at 1 and counts the same numbers."""
    newest: dict[str, int] = {}
    offsets: dict[tuple[str, str | None], int] = {}
    for frame in (frame for connection in told for frame in connection):
        table, number = frame["table_id"], frame["table_seq"]
        if number <= newest.get(table, 0):
            yield f"{_name(frame)} came after number {newest[table]}"
        newest[table] = max(number, newest.get(table, 0))
        if frame["type"] == "hand_start" and frame["hand_seq"] != 1:
            yield f"{_name(frame)} begins its hand with hand_seq {frame['hand_seq']}"
        offset = offsets.setdefault((table, frame["hand_id"]), number - frame["hand_seq"])
        if number - frame["hand_seq"] != offset:
            yield f"{_name(frame)} has hand_seq {frame['hand_seq']}, not {number - offset}"


def _replays_repeat_what_was_told(frames: Sequence[Frame], told: Sequence[list[Frame]]) -> Iterator[str]:
    seen = {(f["table_id"], f["table_seq"]): f for connection in told for f in connection}
    for response in of(frames, "resync_response"):
        for event in response["replayed_events"] if response["role"] == "player" else ():
            live = seen.get((event["table_id"], event["table_seq"]), event)
            if event != live:
                yield f"{_name(event)} was replayed otherwise than it was told"


def _tokens_are_new(frames: Sequence[Frame]) -> Iterator[str]:
    tokens = Counter((turn["hand_id"], turn["turn_token"]) for turn in of(frames, "your_turn"))
    yield from (f"token {token} was given {count} times" for (_, token), count in tokens.items() if count > 1)


# Within a connection


def _events_have_their_neighbours(told: list[Frame]) -> Iterator[str]:
    for before, after in pairwise(told):
        expected = _FOLLOWED_BY.get(before["type"])
        if expected is not None and after["type"] not in expected:
            yield f"{_name(before)} is followed by {after['type']}"
        wanted = _PRECEDED_BY.get(after["type"])
        if wanted is not None and before["type"] not in wanted:
            yield f"{_name(after)} is preceded by {before['type']}"


def _hands_begin_and_end_idle(told: list[Frame]) -> Iterator[str]:
    last: Frame | None = None
    for frame in told:
        if last is not None and frame["type"] in ("hand_start", "hand_result") and last["street"] != "idle":
            yield f"{_name(frame)} comes while the table shows the {last['street']}"
        is_of_a_hand = frame["type"] in ("player_action", "your_turn", "community_cards")
        if is_of_a_hand and last is not None and last["street"] == "idle" and frame["hand_id"] == last["hand_id"]:
            yield f"{_name(frame)} comes while the table is idle"
        last = frame if frame["type"] == "table_state" else last


def _numbers_around_an_action(told: list[Frame]) -> Iterator[str]:
    """One's own acknowledgement, action and snapshot count on; before another's action private frames took numbers."""
    own: int | None = None
    for before, after in pairwise(told):
        step = after["table_seq"] - before["table_seq"]
        if before["type"] in ("action_ack", "player_action", "community_cards", "your_turn") and step != 1:
            yield f"{_name(after)} follows {before['type']} {step} numbers later"
        if after["type"] == "table_state":
            own = after["hero"]["seat"]
        is_anothers = after["type"] == "player_action" and own not in (None, after["seat"])
        if is_anothers and before["hand_id"] == after["hand_id"] and step < 3:
            yield f"{_name(after)} leaves no numbers for the private frames of seat {after['seat']}"


def _a_prompt_repeats_the_snapshot(told: list[Frame]) -> Iterator[str]:
    for before, turn, after in zip(told, told[1:], told[2:], strict=False):
        if turn["type"] != "your_turn" or before["type"] != "table_state" or after["type"] != "table_state":
            continue
        if not may_act(before) or before["actor_seat"] != turn["seat"]:
            yield f"{_name(turn)} was not announced by a snapshot with its offer"
            continue
        if before["state_hash"] != after["state_hash"] and _of_the_hand(before) != _of_the_hand(after):
            yield f"{_name(turn)} is followed by a snapshot that differs from the one before it"
        short = [{k: v for k, v in entry.items() if v is not None} for entry in turn["valid_actions"]]
        offers = [short, turn["pot"], turn["community_cards"]]
        if offers != [before["hero"]["valid_actions"], before["pot"], before["board"]]:
            yield f"{_name(turn)} offers other than its snapshot"


def _an_action_is_acknowledged_first(told: list[Frame]) -> Iterator[str]:
    for turn, _, action in zip(told, told[1:], told[2:], strict=False):
        is_own = turn["type"] == "your_turn" and action["type"] == "player_action" and action["seat"] == turn["seat"]
        if is_own and action["reason"] is None:
            yield f"{_name(action)} was not acknowledged before"


def _of_the_hand(snapshot: Frame) -> Frame:
    """What a snapshot says of the hand: not its numbers, nor who is connected, which may change at any time."""
    moving = ("table_seq", "hand_seq", "ts", "state_hash")
    seats = [{**seat, "status": seat["status"] != "empty"} for seat in snapshot["seats"]]
    return {**{key: value for key, value in snapshot.items() if key not in moving}, "seats": seats}


def _an_action_changes_what_it_says(told: list[Frame]) -> Iterator[str]:
    before: Frame | None = None
    for action, after in pairwise(told):
        if action["type"] == "table_state":
            before = action
        if action["type"] != "player_action" or after["type"] != "table_state":
            continue
        is_over = after["street"] == "idle"
        if after["street"] != action["street"] and not is_over:
            yield f"{_name(action)} says {action['street']}, then the table shows the {after['street']}"
        if action["street"] == "showdown" and not is_over:
            yield f"{_name(action)} ends the hand, and the table plays on"
        stack = after["seats"][action["seat"]]["stack"]
        states_same = (after["pot"], stack) == (action["pot_after"], action["stack_after"])
        if not is_over and not states_same and not _is_refund(before, action, after):
            yield f"{_name(action)} and the snapshot after it state other chips"
        if before is not None and before["hand_id"] == action["hand_id"]:
            seat = before["seats"][action["seat"]]
            known = (before["actor_seat"], before["pot"], seat["stack"], seat["name"])
            if known != (action["seat"], action["pot_before"], action["stack_before"], action["name"]):
                yield f"{_name(action)} contradicts the snapshot before it"


def _is_refund(before: Frame | None, action: Frame, after: Frame) -> bool:
    """Whether the chips that nobody could call went back, the hand going on without anybody to act."""
    refund = action["pot_after"] - after["pot"]
    if refund <= 0 or after["actor_seat"] is not None:
        return False
    if before is None:
        return True
    stacks = {seat["seat"]: seat["stack"] for seat in before["seats"]} | {action["seat"]: action["stack_after"]}
    gains = [seat["stack"] - stacks[seat["seat"]] for seat in after["seats"]]
    return [gain for gain in gains if gain] == [refund]


def _nothing_comes_from_a_table_that_was_left(told: list[Frame]) -> Iterator[str]:
    seat: int | None = None
    left: set[str] = set()
    for frame in told:
        if frame["type"] == "table_joined":
            left.discard(frame["table_id"])
        if frame["table_id"] in left:
            yield f"{_name(frame)} comes from a table that was left"
        if frame["type"] in ("table_joined", "hand_start"):
            seat = frame["seat"]
        if frame["type"] == "table_closed" or (frame["type"] == "player_left" and frame["seat"] == seat):
            left.add(frame["table_id"])


def _arrivals_are_shown(told: list[Frame]) -> Iterator[str]:
    for arrival, after in pairwise(told):
        if arrival["type"] == "table_joined" and after["type"] == "table_state":
            players = {player["seat"]: player["stack"] for player in arrival["players"]}
            shown = {seat["seat"]: seat["stack"] for seat in after["seats"] if seat["status"] != "empty"}
            if players != shown or after["hero"]["seat"] != arrival["seat"]:
                yield f"{_name(arrival)} seats {players}, the snapshot {shown}"


# Within a whole hand


def _dealt(hand: list[Frame]) -> dict[int, Frame]:
    """The seats dealt into the hand as its first snapshot shows them, clockwise from after the button."""
    first = of(hand, "table_state")[0]
    seats = [seat for seat in first["seats"] if seat["in_hand"]]
    return {seat["seat"]: seat for seat in sorted(seats, key=lambda s: (s["seat"] <= first["dealer_seat"], s["seat"]))}


def _start_stacks(hand: list[Frame]) -> dict[int, int]:
    return {number: seat["stack"] + seat["bet"] for number, seat in _dealt(hand).items()}


def _the_start_deals_cards_and_blinds(hand: list[Frame]) -> Iterator[str]:
    start, first, dealt = hand[0], of(hand, "table_state")[0], _dealt(hand)
    hero = first["hero"]
    if start["seat"] != hero["seat"]:
        yield f"hand_start says seat {start['seat']}, the snapshot {hero['seat']}"
    if (hand[1]["type"] == "hole_cards") != (start["seat"] in dealt):
        yield "hole_cards go to who is dealt in, and to nobody else"
    if first["hand_seq"] < len(dealt) + 2:
        yield f"hole cards of {len(dealt)} players took no numbers before {first['hand_seq']}"
    if first["dealer_seat"] not in dealt:
        yield f"the button stands at seat {first['dealer_seat']}, which is not dealt in"
    blinds = first["small_blind"], first["big_blind"]
    if start["blinds"] != {"small_blind": blinds[0], "big_blind": blinds[1]}:
        yield f"hand_start says {start['blinds']}, the snapshot {blinds}"
    yield from _blinds_are_posted(first, list(dealt), _start_stacks(hand))


def _blinds_are_posted(first: Frame, order: list[int], stacks: dict[int, int]) -> Iterator[str]:
    """In a ring by the two after the button; heads-up, where it is a switch, by either."""
    wanted = {
        seat: min(first[blind], stacks[seat]) for seat, blind in zip(order, ("small_blind", "big_blind"), strict=False)
    }
    posted = {seat["seat"]: seat["bet"] for seat in first["seats"] if seat["bet"]}
    if len(order) > 2 and posted != wanted:
        yield f"the blinds are {posted}, not {wanted}"
    if sorted(posted.values()) != sorted(wanted.values()) or first["pot"] != sum(posted.values()):
        yield f"the blinds are {posted} in a pot of {first['pot']}"
    opener = order[2 % len(order)] if len(order) > 2 else min(posted, key=lambda seat: posted[seat])
    if first["actor_seat"] != opener:
        yield f"seat {first['actor_seat']} opens the betting, not {opener}"


def _cards_stay_the_same(hand: list[Frame]) -> Iterator[str]:
    own = [frame["cards"] for frame in of(hand, "hole_cards")]
    board: list[str] = []
    for frame in hand:
        if frame["type"] == "community_cards":
            cards = frame["cards"]
            if cards[: len(board)] != board or len(cards) != BOARD_CARDS[frame["street"]] or len(cards) <= len(board):
                yield f"{_name(frame)} turns the board {board} into {cards}"
            board = cards
        if frame["type"] == "table_state":
            held = [frame["hero"]["hole_cards"]] if "hole_cards" in frame["hero"] else []
            if held != own:
                yield f"{_name(frame)} shows hero {held}, who was dealt {own}"
            if (frame["board"], frame["dealer_seat"]) != (board, hand[0]["dealer_seat"]):
                yield f"{_name(frame)} shows the board {frame['board']} and button {frame['dealer_seat']}"


def _the_result_lists_the_actions(hand: list[Frame]) -> Iterator[str]:
    """Each filed under the street that it belongs to, not the one after it."""
    street, played = "preflop", []
    for frame in hand:
        if frame["type"] == "community_cards":
            street = frame["street"]
        elif frame["type"] == "player_action":
            played.append({key: frame[key] for key in ("seat", "action", "amount")} | {"street": street})
    if played != hand[-1]["actions"]:
        yield f"hand_result lists {hand[-1]['actions']}, played was {played}"


def _chips_move_as_the_result_says(hand: list[Frame]) -> Iterator[str]:
    result, idle, start = hand[-1], of(hand, "table_state")[-1], _start_stacks(hand)
    final = {int(seat): stack for seat, stack in result["final_stacks"].items()}
    shown = {seat: idle["seats"][seat]["stack"] for seat in start}
    if final.keys() != start.keys() or sum(final.values()) != sum(start.values()):
        yield f"stacks of {start} became {final}"
        return
    if shown != final:
        yield f"the snapshot before hand_result shows {shown}, not {final}"
    gains = {seat: final[seat] - stack for seat, stack in start.items()}
    net = {winner["seat"]: winner["amount"] for winner in result["winners"]}
    if any(gains[seat] != amount for seat, amount in net.items()) or {s for s, g in gains.items() if g > 0} - set(net):
        yield f"winners gain {net}, the stacks {gains}"
    gross = Counter({payout["seat"]: payout["amount"] for payout in result["payouts"]})
    put_in = Counter({seat: entry["bet"] for seat, entry in _dealt(hand).items()})
    put_in.update(dict.fromkeys(start, 0))
    for action in of(hand, "player_action"):
        put_in[action["seat"]] += action["contribution_delta"]
    matched = {seat: gross[seat] - gain for seat, gain in gains.items()}
    if any(not 0 <= chips <= put_in[seat] for seat, chips in matched.items()):
        yield f"payouts of {dict(gross)} do not fit the chips put in, {dict(put_in)}"


def _a_showdown_shows_whoever_is_left(hand: list[Frame]) -> Iterator[str]:
    shown: dict[str, Any] | None = hand[-1]["shown_cards"]
    left = _dealt(hand).keys() - {action["seat"] for action in of(hand, "player_action") if action["action"] == "fold"}
    if (shown is None) != (len(left) == 1):
        yield f"shown cards are {shown} with seats {sorted(left)} left"
    if shown is not None and not {int(seat) for seat in shown} <= left:
        yield f"cards of {sorted(shown)} are shown with seats {sorted(left)} left"
    for own in of(hand, "hole_cards"):
        if shown is not None and shown.get(str(hand[0]["seat"]), own["cards"]) != own["cards"]:
            yield f"hero is shown with {shown}, dealt were {own['cards']}"


_CONNECTION_RULES: Final[Sequence[Rule]] = (
    _events_have_their_neighbours,
    _hands_begin_and_end_idle,
    _numbers_around_an_action,
    _a_prompt_repeats_the_snapshot,
    _an_action_is_acknowledged_first,
    _an_action_changes_what_it_says,
    _nothing_comes_from_a_table_that_was_left,
    _arrivals_are_shown,
)
_HAND_RULES: Final[Sequence[Rule]] = (
    _the_start_deals_cards_and_blinds,
    _cards_stay_the_same,
    _the_result_lists_the_actions,
    _chips_move_as_the_result_says,
    _a_showdown_shows_whoever_is_left,
)
