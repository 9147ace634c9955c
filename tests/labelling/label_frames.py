"""Frames of labels for the tests of agreement: from rows of coders, from pairs, and from the real data sets."""

import json

import pandas as pd

from tests.shared_data import shared_data

COLUMNS = ["query_id", "unit_id", "annotator", "grade"]
GRADES = (0, 1, 2, 3)


def oracle(name):
    """Return one group of the reference values."""
    return json.loads(shared_data("oracles.json").read_text())[name]


def labels_of_coders(rows, *, per_query=10):
    """One row for each coder, one place for each unit, None where there is no label; `per_query` units belong to one query."""
    return pd.DataFrame(
        [
            (f"q{unit // per_query:03}", f"u{unit:05}", f"coder{coder}", grade)
            for coder, row in enumerate(rows)
            for unit, grade in enumerate(row)
            if grade is not None
        ],
        columns=COLUMNS,
    )


def labels_of_pairs(pairs, *, per_query=10):
    """One pair of grades for each unit, by the same two people."""
    return labels_of_coders([[first for first, _ in pairs], [second for _, second in pairs]], per_query=per_query)


def chorus():
    """3,188 candidates of 135 queries, three raters each."""
    frame = pd.read_csv(shared_data("multirater", "chorus_ratings.csv"), dtype={"docid": str})
    return frame.set_axis(COLUMNS, axis="columns")


def code_search_net():
    """880 items with two labels or more; the raters have no names, so each row is one more rater of its item."""
    frame = pd.read_csv(shared_data("multirater", "codesearchnet_ratings.csv"))
    item = ["Language", "Query", "GitHubUrl"]
    return pd.DataFrame(
        {
            "query_id": frame["Language"] + "|" + frame["Query"],
            "unit_id": frame["GitHubUrl"],
            "annotator": "rater " + frame.groupby(item).cumcount().astype(str),
            "grade": frame["Relevance"],
        }
    )
