"""The zip around an archive's files: one right value for every byte of it.

Times and rights are fixed. The files are stored as they are: packed ones would differ between versions of zlib, and one content can be
packed in many ways, so that a changed byte could pass. `zipfile` looks over much of a zip's own bookkeeping; `is_as_packed` does not.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterable, Iterator, Sequence

# A zip entry needs some time of writing; one fixed time keeps the bytes the same. It is the earliest that zip can say.
EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX = 3
READABLE = 0o644 << 16


def pack(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return the zip of files by name, in the given order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files:
            archive.writestr(_entry(name), data)
    return buffer.getvalue()


def is_as_packed(data: bytes) -> bool:
    """Whether every byte of a zip around its files is as `pack` writes it."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
    return b"".join(_expected(data, entries)) == data


def _expected(data: bytes, entries: Sequence[zipfile.ZipInfo]) -> Iterator[bytes]:
    """Yield what `pack` would have written, with the files themselves taken from `data`."""
    directory, at = b"", 0
    for found in entries:
        entry = _entry(found.filename)
        entry.CRC, entry.compress_size, entry.file_size = found.CRC, found.compress_size, found.file_size
        header = entry.FileHeader(zip64=False)
        yield header
        yield data[at + len(header) : at + len(header) + entry.compress_size]
        directory += _directory_entry(entry, at)
        at += len(header) + entry.compress_size
    yield directory
    yield struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), at, 0)


def _directory_entry(entry: zipfile.ZipInfo, offset: int) -> bytes:
    """One entry of the zip's directory (APPNOTE.TXT 4.3.12)."""
    name = entry.filename.encode()
    _signature, needed, _zero, flags, method, time, date = struct.unpack("<4s2B4H", entry.FileHeader(zip64=False)[:14])
    sizes = (entry.CRC, entry.compress_size, entry.file_size)
    made_by = (entry.create_version, UNIX, needed, 0)
    lengths = (len(name), 0, 0, 0, 0)
    fixed = (b"PK\x01\x02", *made_by, flags, method, time, date, *sizes, *lengths, entry.external_attr, offset)
    return struct.pack("<4s4B4HL2L5H2L", *fixed) + name


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_STORED
    entry.create_system = UNIX
    entry.external_attr = READABLE
    return entry
