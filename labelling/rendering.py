"""Text that other people wrote, made safe to show: Markdown by markdown-it-py without raw HTML, then cleaned by nh3; the rest is left plain.

Passages are hostile: they come from anywhere. No link, no picture and no attribute of theirs reaches the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import nh3
from markdown_it.token import Token

from evalsets.rendering import ATTRIBUTES, TAGS, looks_like_markdown, make_parser

# Longer ones are shown as they are: parsing takes time in which an annotator waits.
LONGEST_MARKDOWN = 60_000
_ANCHOR = re.compile(r"\s*\{#[\w.:-]+\}\s*$")
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class ShownText:
    """A passage cut at its mark: what is before it, the marked part, what follows. HTML that is safe to show, or plain text."""

    lead: str
    marked: str
    rest: str
    is_html: bool


def show_passage(text: str, mark: tuple[int, int] | None) -> ShownText:
    """Make a passage ready to show. In Markdown the mark grows to the whole paragraphs, lists or tables that it touches."""
    if len(text) <= LONGEST_MARKDOWN and looks_like_markdown(text):
        shown = _show_markdown(text, mark)
        if shown.marked:
            return shown
    start, end = mark or (0, len(text))
    return ShownText(lead=text[:start], marked=text[start:end], rest=text[end:], is_html=False)


def render_guidance(text: str) -> str:
    """Turn a lead's Markdown into safe HTML. Links are kept, to web addresses only."""
    html = make_parser().enable(["link", "autolink"]).render(text)
    attributes = ATTRIBUTES | {"a": {"href"}}
    return nh3.clean(
        html, tags=TAGS | {"a"}, attributes=attributes, url_schemes={"http", "https"}, link_rel="noopener noreferrer"
    )


def _show_markdown(text: str, mark: tuple[int, int] | None) -> ShownText:
    parser = make_parser()
    env: dict[str, Any] = {}
    tokens = parser.parse(text, env)
    _flatten_headings(tokens)
    zones: dict[str, list[Token]] = {"lead": [], "marked": [], "rest": []}
    lines = None if mark is None else (_line_of(text, mark[0]), _line_of(text, max(mark[0], mark[1] - 1)))
    for block in _split_blocks(tokens):
        zones[_zone(block[0].map, lines)] += block
    parts = {
        name: nh3.clean(parser.renderer.render(zone, parser.options, env), tags=TAGS, attributes=ATTRIBUTES)
        for name, zone in zones.items()
    }
    return ShownText(**parts, is_html=True)


def _split_blocks(tokens: Sequence[Token]) -> list[list[Token]]:
    """Cut the stream of tokens into blocks of the top level."""
    blocks: list[list[Token]] = []
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            blocks.append([])
        blocks[-1].append(token)
    return blocks


def _zone(block: list[int] | None, lines: tuple[int, int] | None) -> str:
    if lines is None or block is None:
        return "marked"
    if block[1] <= lines[0]:
        return "lead"
    return "rest" if block[0] > lines[1] else "marked"


def _line_of(text: str, offset: int) -> int:
    return len(_LINE_END.findall(text, 0, offset))


def _flatten_headings(tokens: Sequence[Token]) -> None:
    """Give the passage's headings two levels under the page's own, so that they leave no gap for those who listen to the page.

    An anchor written after a heading (`{#name}`) is for machines and is left out.
    """
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    for place, token in enumerate(tokens):
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h2" if int(token.tag[1]) <= levels[0] else "h3"
        if token.type == "heading_open" and (words := tokens[place + 1].children):
            words[-1].content = _ANCHOR.sub("", words[-1].content)
