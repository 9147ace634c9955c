"""Markdown that other people wrote, made safe to show: by markdown-it-py without raw HTML, then cleaned by nh3.

Documents and passages are hostile: they come from anywhere. No link, no picture and no attribute of theirs reaches a page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

BLOCKS = {"p", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "pre", "hr", "br"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
INLINE = {"em", "strong", "code", "s"}
TAGS = BLOCKS | TABLES | INLINE
ATTRIBUTES = {"ol": {"start"}}
# Longer ones are shown as they are: parsing takes time in which somebody waits.
LONGEST_MARKDOWN = 200_000
_MARKDOWN_SIGNS = re.compile(
    r"^ {0,3}#{1,6} \S"  # a heading
    r"|^ {0,3}(?:```|~~~)"  # fenced code
    r"|^ {0,3}\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)+\|?[ \t]*$",  # the line under a table's head
    re.MULTILINE,
)


def looks_like_markdown(text: str) -> bool:
    """Say whether a text has headings, tables or fenced code; anything less reads well enough as it is."""
    return bool(_MARKDOWN_SIGNS.search(text))


def make_parser() -> MarkdownIt:
    """A parser that knows tables, makes no links, and shows the words that stand for a picture instead of it."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["link", "autolink"])
    parser.add_render_rule("image", _show_image_as_words)
    return parser


def render_markdown(text: str, *, top_level: int = 3) -> SafeString:
    """Turn Markdown into HTML that is safe to put on a page; its highest heading becomes `h<top_level>`, none goes below h4."""
    if len(text) > LONGEST_MARKDOWN:
        return mark_safe(f"<pre>{escape(text)}</pre>")  # noqa: S308  # escaped on this line
    parser = make_parser()
    env: dict[str, Any] = {}
    tokens = parser.parse(text, env)
    _lower_headings(tokens, top_level)
    html = nh3.clean(parser.renderer.render(tokens, parser.options, env), tags=TAGS, attributes=ATTRIBUTES)
    return mark_safe(html)  # noqa: S308  # what nh3 has cleaned


def _show_image_as_words(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return escape(tokens[index].content)


def _lower_headings(tokens: Sequence[Token], top_level: int) -> None:
    levels = sorted({int(token.tag[1]) for token in tokens if token.type == "heading_open"})
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(top_level + levels.index(int(token.tag[1])), 4)}"
