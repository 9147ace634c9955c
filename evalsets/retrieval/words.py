"""What counts as a word when text is cut into chunks, and as a token when it is indexed."""

import re
import unicodedata
from collections.abc import Iterator

TOKENIZER_VERSION = "1"
LANGUAGES = ("english", "any")

# Scripts written without spaces: each sign counts as a word, and pairs of neighbours are indexed.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_COMPOUND = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:[-_./:+#'][^\W_{_UNSPACED}]+)*")
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")
_PART = re.compile(r"\d+|[^\W\d_]+")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'"})

_STOP_WORDS = (
    "a about an and are as at be been but by can could did do does for from had has have how i if in into is it its "
    "may me my of on or our shall should so such than that the their them then there these they this those to us was "
    "we were what when where which while who whom whose why will with would you your"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())


def word_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Give the (start, end) character offsets of each word of `text` between `start` and `end`, in reading order.

    A word is a run without white space; in scripts that put no spaces between words each sign is one.
    """
    for found in _WORD.finditer(text, start, len(text) if end is None else end):
        yield found.span()


def tokens(text: str, *, language: str = "english") -> list[str]:
    """Cut `text` into the tokens that are indexed and searched, in reading order.

    Compounds and identifiers are given whole and in parts: "PB-2041" gives "pb-2041", "pb" and "2041", so that it is
    found by its exact form, by its number, and however somebody wrote the hyphen. `language` "english" leaves out
    stop words and folds plurals; "any" does neither.
    """
    found: list[str] = []
    plain = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).casefold()
    for match in _COMPOUND.finditer(plain):
        found.extend(_forms(match.group(), english=language == "english"))
    return found


def _forms(compound: str, *, english: bool) -> Iterator[str]:
    if _UNSPACED_RUN.fullmatch(compound):
        yield from _neighbours(compound)
        return
    whole = compound.removesuffix("'s") if english else compound
    whole = whole.replace("'", "")
    parts = _PART.findall(whole)
    if len(parts) > 1:
        yield whole
    for part in parts or [whole]:
        if not english:
            yield part
        elif part not in STOP_WORDS:
            yield singular(part)


def _neighbours(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for at in range(len(run) - 1):
        yield run[at : at + 2]


def character_grams(text: str, length: int) -> list[str]:
    """Cut each word of `text`, with a space put at both its ends, into overlapping pieces of `length` characters.

    A word that is shorter gives itself. Misspelt words still share most pieces with the right ones.
    """
    grams: list[str] = []
    for word in unicodedata.normalize("NFKC", text).casefold().split():
        padded = f" {word} "
        grams.extend(padded[at : at + length] for at in range(max(1, len(padded) - length + 1)))
    return grams


def singular(word: str) -> str:
    """Fold a regular English plural to its singular: the "s" stemmer of Harman, How effective is suffixing?, JASIS 1991."""
    if len(word) <= 3 or not word.endswith("s"):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if not word.endswith(("us", "ss", "es")):
        return word[:-1]
    return word
