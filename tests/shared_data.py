"""Finds the real data that lies beside the repository, and says so where it does not."""

import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(*parts: str) -> Path:
    """Return the path of a shared data file or folder; skip the test where it is absent, fail in CI."""
    root = Path(os.environ.get("PLUMBLINE_TEST_DATA", BESIDE))
    path = root.joinpath(*parts)
    if not path.exists():
        reason = f"shared data {'/'.join(parts)} is not beside the repository ({root}); set PLUMBLINE_TEST_DATA to its folder"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path
