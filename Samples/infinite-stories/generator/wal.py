"""Makes the bytes of a store and its write-ahead log independent of the machine that wrote them."""

import struct

from .rng import Rng

_PAGE, _FRAME = 4096, 24
_SQLITE_VERSION = struct.pack(">I", 3043002)


def steady_store(data):
    """The main file with a fixed SQLite version in its header."""
    return data[:96] + _SQLITE_VERSION + data[100:]


def steady_wal(data, seed):
    """The log with fixed salts, and with the checksums that follow from them."""
    source = Rng(seed, "wal salts")
    salts = struct.pack(">II", source.below(1 << 32), source.below(1 << 32))
    head = data[:16] + salts
    sums = _checksum(head, (0, 0))
    parts = [head, struct.pack(">II", *sums)]
    for start in range(32, len(data), _FRAME + _PAGE):
        frame = data[start:start + 8]
        page = data[start + _FRAME:start + _FRAME + _PAGE]
        if frame[:4] == b"\0\0\0\x01":
            page = steady_store(page)
        sums = _checksum(frame + page, sums)
        parts += [frame, salts, struct.pack(">II", *sums), page]
    return b"".join(parts)


def _checksum(data, sums):
    first, second = sums
    words = struct.unpack("<%dI" % (len(data) // 4), data)
    for place in range(0, len(words), 2):
        first = (first + words[place] + second) & 0xFFFFFFFF
        second = (second + words[place + 1] + first) & 0xFFFFFFFF
    return first, second
