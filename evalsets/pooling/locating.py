"""Finds where a passage stands in its document, and which section that is: for results that came without either."""

import re
from collections.abc import Sequence

SectionSpan = tuple[str, int, int]
_LONGEST_PATTERN = 400  # words; the rest of a longer passage is taken to follow


def find_passage(text: str, passage: str) -> tuple[int, int] | None:
    """Give the (start, end) of the first place where `text` has the passage, blanks apart; None where it has not."""
    wanted = passage.strip()
    if not wanted:
        return None
    start = text.find(wanted)
    if start >= 0:
        return start, start + len(wanted)
    words = wanted.split()
    pattern = r"\s+".join(re.escape(word) for word in words[:_LONGEST_PATTERN])
    found = re.search(pattern, text)
    if found is None:
        return None
    end = found.end() if len(words) <= _LONGEST_PATTERN else min(len(text), found.start() + len(wanted))
    return found.start(), end


def section_at(sections: Sequence[SectionSpan], start: int, end: int) -> str:
    """Give the id of the section that holds most of `start` to `end`, the first among equals; "" where none holds any."""
    best, most = "", 0
    for section_id, section_start, section_end in sections:
        shared = min(end, section_end) - max(start, section_start)
        if shared > most:
            best, most = section_id, shared
    return best
