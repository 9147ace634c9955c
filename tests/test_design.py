"""The look of the product: no inline style or script, every template compiles, every pair of colours can be read."""

import itertools
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template

TEMPLATES = sorted((Path(settings.BASE_DIR) / "templates").rglob("*.html"))
TOKENS = (Path(settings.BASE_DIR) / "static/css/tokens.css").read_text()

TEXT_ON_GROUND = [
    (ink, ground)
    for ink in ("ink", "ink-2", "ink-3", "accent", "bad", "warn", "good")
    for ground in ("ground", "surface", "sunken")
]
TEXT_ON_FILL = [
    ("accent-ink", "accent"),
    ("bad", "bad-soft"),
    ("warn", "warn-soft"),
    ("good", "good-soft"),
    ("ink", "bad-soft"),
    ("ink", "warn-soft"),
    ("ink", "good-soft"),
    ("ink", "mark"),
    *[(f"grade-{value}-ink", f"grade-{value}") for value in range(4)],
]
SIGNS_ON_GROUND = [
    (sign, ground) for sign in ("line-strong", "grade-edge", "focus") for ground in ("ground", "surface")
]
THEMES = {"light": 0, "dark": 1}


def read_colour(name: str, theme: str) -> str:
    match = re.search(rf"--{re.escape(name)}: light-dark\((#[0-9a-f]{{6}}), (#[0-9a-f]{{6}})\)", TOKENS)
    assert match, f"no token --{name}"
    return match.groups()[THEMES[theme]]


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb as WCAG 2.2 defines it, 0 to 1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours as WCAG 2.2 defines it, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(settings.BASE_DIR).as_posix())
def test_template_compiles_and_has_no_inline_style_or_script(path: Path) -> None:
    source = path.read_text()

    get_template(path.relative_to(Path(settings.BASE_DIR) / "templates").as_posix())

    assert not re.search(r"\sstyle\s*=", source)
    assert not re.search(r"<style\b", source)
    assert not re.search(r"<script(?![^>]*\bsrc=)", source)
    assert not re.search(r"\son[a-z]+\s*=|hx-on", source)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("ink", "ground"), TEXT_ON_GROUND + TEXT_ON_FILL)
def test_text_has_the_contrast_that_wcag_aa_asks_for(ink: str, ground: str, theme: str) -> None:
    assert contrast(read_colour(ink, theme), read_colour(ground, theme)) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("sign", "ground"), SIGNS_ON_GROUND)
def test_borders_and_focus_can_be_seen_against_the_ground(sign: str, ground: str, theme: str) -> None:
    assert contrast(read_colour(sign, theme), read_colour(ground, theme)) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_grades_differ_in_lightness_step_by_step(theme: str) -> None:
    steps = [luminance(read_colour(f"grade-{value}", theme)) for value in range(4)]

    pairs = list(itertools.pairwise(steps))

    assert all(a > b for a, b in pairs) or all(a < b for a, b in pairs)
    assert all(
        contrast(read_colour(f"grade-{v}", theme), read_colour(f"grade-{v + 1}", theme)) >= 1.4 for v in range(3)
    )
