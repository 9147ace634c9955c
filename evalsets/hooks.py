"""Where other apps ask to be called when something happened here, because this one imports none of them."""

from __future__ import annotations

from collections.abc import Callable

from evalsets.models import EvalSet

# Each is called with the eval set whose pool has grown, after the pool is complete; registered in an AppConfig's `ready`.
after_pool_built: list[Callable[[EvalSet], object]] = []


def announce_pool_built(eval_set: EvalSet) -> None:
    """Call whoever waits for a pool; whatever builds a pool calls this once it is complete."""
    for call in after_pool_built:
        call(eval_set)
