"""Which query of the eval set a row of a file means: by id, or by the exact text where it has none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from evalsets.formats.catalogue import Option
from evalsets.formats.problems import Found, Problem
from evalsets.formats.query_rows import QueryRow, folded, id_from_text
from evalsets.importing.nearness import Nearness
from evalsets.importing.wording import counted
from evalsets.models import EvalSet

CREATE, SKIP = "create", "skip"
NAMED = 5
LOOKED_UP = 100


@dataclass(frozen=True)
class Mention:
    """One query as a file names it: an id, a text, or both, and the first line that does."""

    query_id: str
    text: str
    line: int | None


@dataclass
class Matched:
    """What became of each mention: the id of a query, whether it is here or is to be made; `skipped` ones are left out."""

    ids: dict[Mention, str] = field(default_factory=dict)
    new: list[QueryRow] = field(default_factory=list)
    skipped: set[Mention] = field(default_factory=set)


def unknown_queries_option() -> Option:
    """Return the option that says what becomes of rows whose query the eval set does not have."""
    choices = (("", "refuse"), (CREATE, "make new queries of them"), (SKIP, "leave their rows out"))
    return Option(
        "unknown_queries",
        "Unknown queries",
        "What to do with rows whose query is not in the eval set. A new query needs its text in the file.",
        choices,
    )


def match_queries(
    found: Found,
    mentions: Iterable[Mention],
    *,
    eval_set: EvalSet,
    unknown: str,
    texts_must_agree: bool,
    rows: Iterable[QueryRow] = (),
) -> Matched:
    """Match mentions to queries; what fits none is a problem with the nearest ones beside it, or follows the choice `unknown`.

    `rows` are queries that the file itself describes; a new query is made as they say. With `texts_must_agree` a text that is not the
    one of its id's query is a problem, otherwise a warning.
    """
    matcher = _Matcher(found, eval_set, unknown, {row.text: row for row in rows})
    for mention in mentions:
        matcher.match(mention, texts_must_agree=texts_must_agree)
    matcher.finish()
    return matcher.matched


class _Matcher:
    def __init__(self, found: Found, eval_set: EvalSet, unknown: str, described: dict[str, QueryRow]) -> None:
        self.found, self.unknown, self.described = found, unknown, described
        self.matched = Matched()
        self.text_of: dict[str, str] = {}
        self.by_text: dict[str, list[str]] = {}
        self.retired: set[str] = set()
        for query_id, text, retired_at in eval_set.queries.values_list("query_id", "text", "retired_at"):
            self.text_of[query_id] = text
            if retired_at is None:
                self.by_text.setdefault(text, []).append(query_id)
            else:
                self.retired.add(query_id)
        self.near_ids = Nearness(self.text_of)
        self.lookalikes: dict[str, str] = {}
        self.near_texts: Nearness | None = None
        self.near_by_mention: dict[Mention, str] = {}
        self.missing: list[Mention] = []
        self.other_texts: list[Mention] = []
        self.created: dict[str, QueryRow] = {}
        self.seen = 0

    def match(self, mention: Mention, *, texts_must_agree: bool) -> None:
        """Find the query of one mention."""
        self.seen += 1
        query_id = mention.query_id
        if query_id and query_id in self.text_of:
            if mention.text and mention.text != self.text_of[query_id]:
                self._other_text(mention, must_agree=texts_must_agree)
            self.matched.ids[mention] = query_id
            return
        same = self.by_text.get(mention.text, []) if not query_id else []
        if len(same) == 1:
            self.matched.ids[mention] = same[0]
        elif same:
            named = ", ".join(map(repr, same[:NAMED]))
            expected = f"one query with this text, found {named}; name the query by its id"
            self.found.problems.append(Problem(mention.line, "query", mention.text, expected))
        else:
            self._unknown(mention)

    def _other_text(self, mention: Mention, *, must_agree: bool) -> None:
        if must_agree:
            expected = f"the text that query {mention.query_id!r} has here: {self.text_of[mention.query_id][:200]!r}"
            self.found.problems.append(Problem(mention.line, "query", mention.text, expected))
        else:
            self.other_texts.append(mention)

    def _unknown(self, mention: Mention) -> None:
        if self.unknown == SKIP:
            self.matched.skipped.add(mention)
        elif self.unknown == CREATE and mention.text.strip():
            self.matched.ids[mention] = self._create(mention)
        elif self.unknown == CREATE:
            expected = "a query of this eval set, or its text in the file, from which it could be made"
            self.found.problems.append(Problem(mention.line, "query_id", mention.query_id, expected))
        else:
            self.missing.append(mention)

    def _create(self, mention: Mention) -> str:
        row = self.described.get(mention.text)
        query_id = mention.query_id or (row.query_id if row else id_from_text(mention.text, prefix="q"))
        row = row or QueryRow(query_id, mention.text, line=mention.line)
        if row.query_id != query_id:
            row = QueryRow(query_id, mention.text, information_need=row.information_need, source=row.source)
        before = self.created.setdefault(query_id, row)
        if before.text != mention.text:
            expected = f"one text for query {query_id!r}; line {before.line} says {before.text[:200]!r}"
            self.found.problems.append(Problem(mention.line, "query", mention.text, expected))
        return query_id

    def finish(self) -> None:
        """Add what can only be said of all mentions together."""
        self.matched.new = list(self.created.values())
        if self.missing:
            self._say_missing()
        if self.other_texts:
            ids = ", ".join(repr(mention.query_id) for mention in self.other_texts[:NAMED])
            self.found.warnings.append(
                f"{counted(len(self.other_texts), 'query', 'queries')} asked with another text than the one here: {ids}"
            )
        looks = [(row, self._lookalike(row.text)) for row in self.matched.new]
        near = [f"{row.text!r} beside {text!r}" for row, text in looks if text]
        if near:
            self.found.warnings.append(f"new queries that look like one that is here: {'; '.join(near[:NAMED])}")

    def _say_missing(self) -> None:
        """One problem for each query that is not here; where none of the file's is, one above them that says so."""
        if len(self.missing) == self.seen:
            pairs = ", ".join(
                f"{_name(item)} beside {near}" for item in self.missing[:NAMED] if (near := self._near(item))
            )
            kind = "query ids" if self.missing[0].query_id else "query texts"
            count = "the file's only query is not" if self.seen == 1 else f"none of the file's {self.seen} {kind} is"
            expected = f"queries of this eval set; {count} in it" + (f" ({pairs})" if pairs else "")
            shown = ", ".join(_name(item) for item in self.missing[:NAMED])
            self.found.problems.append(Problem(None, kind, shown, expected))
        creatable = any(mention.text for mention in self.missing)
        choices = f"choose unknown_queries={SKIP} to leave such rows out"
        if creatable:
            choices = f"choose unknown_queries={CREATE} to make it, or unknown_queries={SKIP} to leave such rows out"
        for mention in self.missing:
            column, value = ("query_id", mention.query_id) if mention.query_id else ("query", mention.text)
            expected = f"a query of this eval set{self._advice(mention)}; {choices}"
            self.found.problems.append(Problem(mention.line, column, value, expected))

    def _advice(self, mention: Mention) -> str:
        near = self._near(mention)
        return f"; near: {near}" if near else ""

    def _near(self, mention: Mention) -> str:
        """Return what is near to an unknown query, or "": ids beside an id, texts beside a text. Only the first hundred are looked up."""
        if mention not in self.near_by_mention:
            looked_up = len(self.near_by_mention) < LOOKED_UP
            self.near_by_mention[mention] = self._look_up(mention) if looked_up else ""
        return self.near_by_mention[mention]

    def _look_up(self, mention: Mention) -> str:
        if mention.query_id:
            return ", ".join(self.near_ids.near(mention.query_id))
        lookalike = self._lookalike(mention.text)
        if lookalike:
            return repr(lookalike)
        self.near_texts = self.near_texts or Nearness(self.by_text)
        return ", ".join(map(repr, self.near_texts.near(mention.text)))

    def _lookalike(self, text: str) -> str:
        """Return the text here that differs only in case, blanks, invisible characters or Unicode form, or ""."""
        if not self.lookalikes:
            self.lookalikes = {folded(known): known for known in self.by_text} or {"": ""}
        return self.lookalikes.get(folded(text), "")


def _name(mention: Mention) -> str:
    return mention.query_id or repr(mention.text)
