"""What a share of double labels costs in labels, and what it buys in certainty about agreement."""

from __future__ import annotations

from dataclasses import dataclass

from labelling.sampling import FEWEST_UNITS, PLANNING_CASES, SUGGESTED_UNITS, expected_half_width

USUAL_RATES = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)


@dataclass(frozen=True)
class PlanCost:
    """One share: candidates labelled twice to be expected, and the half-width of alpha's interval in the best and the worst case."""

    rate: float
    units: int
    best: float | None
    worst: float | None
    declared: bool

    @property
    def percent(self) -> str:
        return f"{self.rate * 100:.4g} %"

    @property
    def words(self) -> str:
        """How far this goes, in words."""
        if self.units < FEWEST_UNITS:
            return "says little about agreement"
        return "enough to rely on" if self.units >= SUGGESTED_UNITS else "a rough idea"


def list_costs(pool_size: int, declared: float) -> list[PlanCost]:
    """Return the usual shares and the declared one, lowest first, over a pool of so many candidates."""
    spreads = [case.spread for case in PLANNING_CASES]
    costs = []
    for rate in sorted({*USUAL_RATES, declared}):
        units = round(pool_size * rate)
        best, worst = (expected_half_width(units, spread=spread) for spread in (min(spreads), max(spreads)))
        costs.append(PlanCost(rate, units, best, worst, declared=rate == declared))
    return costs
