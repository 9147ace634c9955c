"""Ids that look like each other: what somebody may have meant by an id that is not there."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable

_LOOSE_PART = re.compile(r"[\W_]+")
_ENDING = re.compile(r"[.\-_/#:][^.\-_/#:]*$")
LONGEST_COMPARED = 20_000


class Nearness:
    """Finds, among known ids, those near to a given one. Built once, asked for each unknown id that is shown."""

    def __init__(self, known: Iterable[str]) -> None:
        self.known = list(known)
        self._by_form: dict[str, list[str]] = {}
        for item in self.known:
            for form in _forms(item):
                self._by_form.setdefault(form, []).append(item)

    def near(self, wanted: str, limit: int = 3) -> list[str]:
        """Return up to `limit` known ids: first those equal but for case, blanks, zeros, signs or an ending, then close spellings."""
        same = [item for form in _forms(wanted) for item in self._by_form.get(form, ())]
        found = list(dict.fromkeys(same))[:limit]
        if not found and len(self.known) <= LONGEST_COMPARED:
            found = difflib.get_close_matches(wanted, self.known, n=limit, cutoff=0.75)
        return found

    def advice(self, wanted: str) -> str:
        """Return "; near: 'a', 'b'" for a message, or "" where nothing is near."""
        near = self.near(wanted)
        return f"; near: {', '.join(map(repr, near))}" if near else ""


def _forms(item: str) -> list[str]:
    """Return the forms of an id that make it meet its lookalikes: stripped of what does not count, and without its ending."""
    folded = unicodedata.normalize("NFKC", item).casefold().strip()
    forms = []
    for form in (folded, _ENDING.sub("", folded)):
        bare = _LOOSE_PART.sub("", form)
        forms.append(bare.lstrip("0") or bare)
    return [form for form in dict.fromkeys(forms) if form]
