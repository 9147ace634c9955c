"""Other people's text, made safe to show."""

import re

import pytest

from evalsets.rendering import looks_like_markdown
from labelling.rendering import LONGEST_MARKDOWN, render_guidance, show_passage

TEXT = "# Copies {#copies}\n\nKept for a while.\n\n| copy | days |\n|---|---|\n| daily | 35 |\n\n### After\n\nNothing *more*.\n"


def test_plain_text_is_cut_at_the_mark_and_left_as_it_is():
    shown = show_passage("before <b>this</b> after", (7, 18))

    assert (shown.lead, shown.marked, shown.rest, shown.is_html) == ("before ", "<b>this</b>", " after", False)


def test_without_a_mark_everything_is_marked():
    assert show_passage("all of it", None).marked == "all of it"


def test_a_mark_grows_to_the_table_that_it_touches():
    start = TEXT.index("daily")

    shown = show_passage(TEXT, (start, start + 5))

    assert shown.is_html
    assert "Kept for a while" in shown.lead
    assert shown.marked.startswith("<table>")
    assert "<td>35</td>" in shown.marked
    assert "<em>more</em>" in shown.rest


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_the_mark_is_found_whatever_ends_a_line(ending):
    text = TEXT.replace("\n", ending)

    shown = show_passage(text, (text.index("Nothing"), len(text)))

    assert shown.marked == "<p>Nothing <em>more</em>.</p>\n"


def test_headings_leave_no_gap_and_no_anchor():
    shown = show_passage(TEXT, None)

    assert "<h2>Copies</h2>" in shown.marked
    assert "<h3>After</h3>" in shown.marked


def test_a_mark_on_nothing_but_space_shows_the_text_as_it_is():
    start = TEXT.index("\n\nKept")

    assert not show_passage(TEXT, (start + 1, start + 2)).is_html


def test_a_very_long_text_is_not_parsed():
    assert not show_passage("# Head\n\n" + "word " * LONGEST_MARKDOWN, None).is_html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[press](javascript:alert(1))",
        "![picture](http://elsewhere/track.png)",
        "<http://elsewhere>",
        "<a href='http://elsewhere'>x</a>",
        "[ref]\n\n[ref]: http://elsewhere",
        "`</code><svg onload=alert(1)>`",
        '```js" onclick="alert(1)\ncode\n```',
    ],
)
def test_no_tag_link_or_picture_of_a_passage_reaches_the_page(hostile):
    shown = show_passage(f"# Head\n\n{hostile}\n", None)

    assert shown.is_html
    tags = re.findall(r"<(\w+)([^>]*)>", shown.marked)
    assert {name for name, _attributes in tags} <= {"h2", "p", "code", "pre"}
    assert {attributes for _name, attributes in tags} == {""}


def test_guidance_keeps_links_to_web_addresses_only():
    html = render_guidance("[good](https://example.org) [bad](javascript:alert(1)) <script>x</script>")

    assert 'href="https://example.org"' in html
    assert 'rel="noopener noreferrer"' in html
    assert "javascript:alert" not in html.replace("[bad](javascript:alert(1))", "")
    assert "<script" not in html


@pytest.mark.parametrize(
    ("text", "is_markdown"),
    [
        ("# Head", True),
        ("a | b\n--- | ---\n1 | 2", True),
        ("```\ncode\n```", True),
        ("A sentence with a # sign and - a dash.", False),
        ("#hashtag", False),
        ("-----", False),
    ],
)
def test_markdown_is_known_by_headings_tables_and_code(text, is_markdown):
    assert looks_like_markdown(text) is is_markdown
