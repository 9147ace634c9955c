"""Documents out of force above the one that holds instead."""

from datetime import date

import pandas as pd

from scoring.engine.lifecycle import find_outdated
from tests.scoring.frames import results_frame

TODAY = date(2026, 6, 1)


def documents(*rows):
    columns = ["doc_id", "lifecycle", "effective_from", "effective_to", "superseded_by"]
    return pd.DataFrame(rows, columns=columns)


OLD_AND_NEW = documents(("old", "archived", None, None, "new"), ("new", "current", None, None, ""))


def found(lists, frame=OLD_AND_NEW):
    return [(row.doc_id, row.rank, row.current_rank) for row in find_outdated(frame, results_frame(lists), on=TODAY)]


def test_an_archived_document_above_its_current_one_is_listed():
    assert found({"q": ["x", "old", "new"]}) == [("old", 2, 3)]


def test_an_archived_document_below_its_current_one_is_not_listed():
    assert found({"q": ["new", "old"]}) == []


def test_an_archived_document_without_its_current_one_in_the_list_is_listed():
    assert found({"q": ["old"]}) == [("old", 1, None)]


def test_an_archived_document_that_nothing_superseded_is_not_listed():
    assert found({"q": ["old"]}, documents(("old", "archived", None, None, ""))) == []


def test_a_document_not_yet_effective_above_the_one_it_will_supersede_is_listed():
    frame = documents(
        ("now", "current", None, date(2026, 12, 31), "next"), ("next", "current", date(2027, 1, 1), None, "")
    )
    assert found({"q": ["next", "now"]}, frame) == [("next", 1, 2)]


def test_a_chain_of_superseded_documents_leads_to_the_one_in_force_and_a_circle_to_none():
    chain = documents(
        ("a", "archived", None, None, "b"),
        ("b", "current", None, date(2020, 1, 1), "c"),
        ("c", "current", None, None, ""),
        ("x", "archived", None, None, "y"),
        ("y", "archived", None, None, "x"),
    )
    assert found({"q": ["b", "a", "x", "c"]}, chain) == [("b", 1, 4), ("a", 2, 4)]


def test_passages_of_one_document_count_once_at_their_best_rank():
    assert found({"q": ["old#s1/c1", "old#s2/c2", "new#s1/c3"]}) == [("old", 1, 3)]
