"""Bytes to text: gzip by its magic bytes, UTF-8 unless another encoding is chosen, and no guessing."""

import codecs
import gzip
import io
import zlib

from evalsets.formats.problems import Problem

GZIP_MAGIC = b"\x1f\x8b"
MAX_UNPACKED_BYTES = 2 * 1024**3
ENCODINGS = (
    "utf-8",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "iso-8859-1",
    "iso-8859-2",
    "iso-8859-15",
    "mac-roman",
    "shift_jis",
    "euc-jp",
    "gb18030",
    "big5",
    "euc-kr",
)
# The four-byte marks come first: the UTF-32 mark begins with the UTF-16 one.
FOREIGN_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class DecodingError(ValueError):
    """The bytes are not text in the expected encoding; `problem` says where and what to choose."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def unpack(data: bytes, *, limit: int = MAX_UNPACKED_BYTES) -> bytes:
    """Return gzip data unpacked (all its members), other data as it is. Raises DecodingError for damaged or too large data."""
    if not data.startswith(GZIP_MAGIC):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            unpacked = packed.read(limit + 1)
    except EOFError as error:
        raise DecodingError(Problem(None, "file", "gzip data", "a complete gzip file; it ends too early")) from error
    except (OSError, zlib.error) as error:
        raise DecodingError(Problem(None, "file", str(error), "an undamaged gzip file")) from error
    if len(unpacked) > limit:
        raise DecodingError(Problem(None, "file", "gzip data", f"at most {limit} bytes after unpacking"))
    return unpacked


def decode(data: bytes | str, encoding: str | None = None) -> str:
    """Return the text of a file, without its byte order mark and with its line ends as they are.

    Without `encoding` the file must be UTF-8 (a byte order mark is fine). Raises DecodingError, whose `problem` names the
    byte order mark or the first invalid byte, for anything else. Text that is given as `str` only loses its mark.
    """
    if isinstance(data, str):
        return _without_nul(_without_surrogates(data).removeprefix("\ufeff"))
    data = unpack(data)
    if encoding is not None and encoding.strip():
        return _without_nul(_decode_as(data, encoding.strip().lower()).removeprefix("\ufeff"))
    for mark, name in FOREIGN_MARKS:
        if data.startswith(mark):
            shown = f"byte order mark {mark.hex(' ').upper()}"
            raise DecodingError(
                Problem(1, "encoding", shown, f"UTF-8; this file says it is {name.upper()}: choose encoding={name}")
            )
    return _without_nul(_decode_as(data, "utf-8").removeprefix("\ufeff"))


def peek(data: bytes | str, encoding: str | None = None, *, size: int = 1024**2) -> str:
    """Return about the first `size` bytes of a file as text for finding out its format; what cannot be read is replaced."""
    if isinstance(data, str):
        return data[:size].removeprefix("\ufeff")
    start = data[:size]
    if data.startswith(GZIP_MAGIC):
        try:
            start = zlib.decompressobj(wbits=31).decompress(start, size)
        except zlib.error:
            return ""
    name = (encoding or "").strip().lower()
    return start.decode(name if name in ENCODINGS else "utf-8", errors="replace").removeprefix("\ufeff")


def decoded(data: bytes | str, encoding: str | None, problems: list[Problem]) -> str | None:
    """Return the text of a file, or None after adding to `problems` why it cannot be read."""
    try:
        return decode(data, encoding)
    except DecodingError as error:
        problems.append(error.problem)
        return None


def _decode_as(data: bytes, encoding: str) -> str:
    if encoding not in ENCODINGS:
        raise DecodingError(Problem(None, "encoding", encoding, f"one of {', '.join(ENCODINGS)}"))
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte {data[error.start : error.start + 1].hex().upper()} at position {error.start}"
        advice = "; choose the encoding that the file was written in" if encoding == "utf-8" else ""
        raise DecodingError(Problem(line, "encoding", found, f"valid {encoding.upper()} text{advice}")) from error


def _without_nul(text: str) -> str:
    """Refuse NUL characters: PostgreSQL cannot keep them, and they mostly mean UTF-16 without its mark."""
    at = text.find("\0")
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        raise DecodingError(
            Problem(line, "encoding", "\0", "text without NUL characters; is it UTF-16? choose its encoding")
        )
    return text


def _without_surrogates(text: str) -> str:
    """Refuse lone surrogates, which text given as `str` may hold and no database can."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise DecodingError(
            Problem(line, "encoding", text[error.start], "whole characters, no lone surrogate")
        ) from error
    return text
