"""Words to look for: how a decision's text is cut into them, and what somebody's search becomes.

Words are letters and digits of any script, of either case, with or without accents; a card is one word, `a♠`. A document and the index of
it must agree for ever, because taking a document out of the index takes the same text again: whoever changes `document`
writes a migration that builds the index anew.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

INDEX_OPTIONS: Final = "words, content='', detail=none, tokenize='ascii'"
"""The index keeps which word is in which document and no more; it cuts at blanks alone, since the rest is done here."""

_SUITS: Final = str.maketrans("shdc", "♠♥♦♣")
_CARDS: Final = re.compile(r"(?<![^\W_])(?:[2-9TJQKA][shdc♠♥♦♣])+(?![^\W_])")
_WORD: Final = re.compile(r"[^\W_]+[♠♥♦♣]?")
_ACCENTS: Final = re.compile(r"[\u0300-\u036f]")


def document(texts: Iterable[str | None]) -> str:
    """The texts as they are indexed, word after word: `AsKd` and `A♠ K♦` are the same two words.

    >>> document(["Echo: cards AsKd", None, "Ötter, on T♣7♦"])
    'echo cards a♠ k♦ otter on t♣ 7♦'
    """
    return " ".join(_words("\n".join(text for text in texts if text)))


def query(search: str) -> str | None:
    """What FTS5 is asked for so that every word of `search` is found, or a word that begins so; cards are found whole.

    Nothing in `search` is syntax. None when it holds no word, which is found nowhere.

    >>> query('rais AsKd "or')
    '"rais" * AND "a♠" AND "k♦" AND "or" *'
    >>> query("--") is None
    True
    """
    return " AND ".join(f'"{word}"' if word[-1] in "♠♥♦♣" else f'"{word}" *' for word in _words(search)) or None


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", _CARDS.sub(_apart, text)).casefold()
    return _WORD.findall(_ACCENTS.sub("", folded))


def _apart(cards: re.Match[str]) -> str:
    text = cards[0]
    return " ".join(text[at] + text[at + 1].translate(_SUITS) for at in range(0, len(text), 2))
