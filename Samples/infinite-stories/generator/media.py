"""Tiny valid media files."""

import struct
import zlib

from .rng import Rng


def _chunk(kind, data):
    checksum = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + checksum


def png(*labels):
    """A picture of 12 by 12 pixels."""
    source, side = Rng("png", *labels), 12
    palette = [source.word().to_bytes(8, "big")[:3] for _ in range(4)]
    rows = b"".join(
        b"\0" + b"".join(palette[(x // 3 * source.below(4) + y) % 4] for x in range(side))
        for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head)
            + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b""))


def mp3(title, frames=8):
    """Silence in frames of 32 kbit/s, after an ID3 tag with the title."""
    text = b"\x03" + title.encode("utf-8")
    tag = b"TIT2" + _seven_bit_size(len(text)) + b"\0\0" + text
    frame = b"\xff\xfb\x10\xc4" + bytes(100)
    return b"ID3\x04\0\0" + _seven_bit_size(len(tag)) + tag + frame * frames


def wav(samples=400):
    """Silence of 8 bits at 8 kHz."""
    data = b"\x80" * samples
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8)
    return struct.pack("<4sI4s", b"RIFF", 4 + len(form) + 8 + len(data), b"WAVE") + form + struct.pack(
        "<4sI", b"data", len(data)) + data


def _seven_bit_size(number):
    return bytes((number >> shift) & 0x7F for shift in (21, 14, 7, 0))
