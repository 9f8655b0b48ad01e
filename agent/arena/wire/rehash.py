"""Hashes that follow a frame whose body was changed on its way out."""

from agent.openpoker.frames import Frame, state_hash


def rehashed(frame: Frame) -> Frame:
    """The frame with the hash of its present body; one that states no hash stays without, and is returned itself."""
    if not isinstance(frame.get("state_hash"), str):
        return frame
    return {**frame, "state_hash": state_hash(frame)}
