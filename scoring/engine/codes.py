"""Columns of ids as whole numbers: text is looked at once, everything after works on the codes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.engine.arrays import Ints

Texts = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Coded:
    """A column: `codes` point into `ids`, in which no id stands twice and some may be unused."""

    codes: Ints
    ids: Texts

    def in_order(self) -> "Coded":
        """The same column with codes that follow the order of the ids."""
        order = np.argsort(self.ids, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return Coded(place[self.codes], self.ids[order])

    def take(self, rows: Ints) -> pd.Categorical:
        """Some rows of the column, as pandas keeps coded text."""
        return pd.Categorical.from_codes(self.codes[rows], categories=pd.Index(self.ids, dtype=object))

    def id_at(self, row: int) -> str:
        """The id in one row."""
        return str(self.ids[self.codes[row]])

    def blank(self) -> npt.NDArray[np.bool_]:
        """Which rows are empty."""
        return (self.ids == "")[self.codes] if len(self.ids) else np.zeros(0, dtype=bool)

    def used(self) -> Texts:
        """The ids that stand in at least one row."""
        return self.ids[np.bincount(self.codes, minlength=len(self.ids)) > 0]


def coded_column(frame: pd.DataFrame, name: str) -> Coded:
    """Code one column of a frame; a missing value and a missing column are "". A categorical column costs nothing."""
    if name not in frame.columns:
        return Coded(np.zeros(len(frame), dtype=np.int64), np.array([""], dtype=object))
    column = frame[name]
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes: Ints = np.array(column.cat.codes, dtype=np.int64)
        ids: Texts = column.cat.categories.to_numpy(dtype=object)
    else:
        found, uniques = pd.factorize(column.to_numpy(dtype=object))
        codes, ids = found.astype(np.int64), np.asarray(uniques, dtype=object)
    missing = codes < 0
    if missing.any():
        at = np.flatnonzero(ids == "")
        codes[missing] = at[0] if len(at) else len(ids)
        ids = ids if len(at) else np.array([*ids, ""], dtype=object)
    return Coded(codes, ids)


def places_in(column: Coded, ids: "pd.Index[str]") -> Ints:
    """For each row, the place of its id in `ids`; -1 where it is not among them."""
    if not len(column.ids):
        return np.zeros(0, dtype=np.int64)
    return ids.get_indexer(pd.Index(column.ids, dtype=object)).astype(np.int64)[column.codes]
