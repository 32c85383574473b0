#!/usr/bin/env python3
"""Writes the part of ICU's data that Ferry can need, from the toolchain's static libraries, for the assembler.

    python3 .ci/icu-data.py FILE.s

Foundation brings ICU, and 34 MB of data with it. Most of them are names and formats for people: of languages,
countries, currencies, units and time zones, in some 200 languages. Ferry shows none of these, whatever the
language of the system is. The linker takes what FILE.s names, a file beside it, instead of the library's data,
and ICU finds the data of `root` where those of a language are missing:
https://unicode-org.github.io/icu/userguide/icu_data/

What compares, converts and divides texts stays: normalisation, collation of all languages, encodings, the rules
of time zones. Of the words in dictionaries, with which Thai is divided into words, nothing stays.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

LIBRARY, MEMBER = "lib_FoundationICU.a", "icu_packaged_data.cpp.o"
# Folders of which only what holds for all languages stays.
FOLDERS = {"brkitr", "curr", "lang", "rbnf", "region", "translit", "unit", "zone"}
# A locale's file: de.res, sr_Latn_BA.res.
LOCALE = re.compile(r"[a-z]{2,3}(_\w+)*\.res")
# What stands for all languages, and English, which ICU's own code falls back to.
KEPT = re.compile(
    r"(root|pool|res_index|supplementalData|tzdbNames|en(_001|_GB|_US|_US_POSIX)?)\.res"
    r"|(char|word|line|line_normal|sent|title)\.brk"
)


def is_kept(name):
    folder, _, file = name.partition("/")[2].rpartition("/")
    if folder in FOLDERS or (not folder and LOCALE.fullmatch(file)):
        return KEPT.fullmatch(file) is not None
    return True


def items(data):
    """The header of a package of ICU's data, and each item with its name."""
    (length,) = struct.unpack_from("<H", data)
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        sys.exit("icu-data: the library's data are not a package of ICU for this kind of machine")
    body = data[length:]
    (count,) = struct.unpack_from("<I", body)
    table = [struct.unpack_from("<II", body, 4 + 8 * index) for index in range(count)]
    ends = [start for _, start in table[1:]] + [len(body)]
    return data[:length], [
        (body[name : body.index(b"\0", name)].decode(), body[start:end])
        for (name, start), end in zip(table, ends)
    ]


def package(header, found):
    """The package of these items; each begins at a multiple of 16, as ICU writes them."""
    names, table = bytearray(), []
    for name, _ in found:
        table.append(4 + 8 * len(found) + len(names))
        names += name.encode() + b"\0"
    start = 4 + 8 * len(found) + len(names)
    names += bytes(-start % 16)
    start += -start % 16
    head, body = bytearray(struct.pack("<I", len(found))), bytearray()
    for place, (_, data) in zip(table, found):
        head += struct.pack("<II", place, start + len(body))
        body += data + bytes(-len(data) % 16)
    return header + bytes(head) + bytes(names) + bytes(body)


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def main(target):
    toolchain = json.loads(run("swiftc", "-static-stdlib", "-print-target-info"))["paths"]
    library = pathlib.Path(toolchain["runtimeLibraryPaths"][0], LIBRARY)
    tools = pathlib.Path(toolchain["runtimeResourcePath"]).parent.parent / "bin"
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        run(tools / "llvm-ar", "x", "--output", place, library, MEMBER)
        symbols = run(tools / "llvm-nm", "--defined-only", place / MEMBER).split()
        (symbol,) = [word for word in symbols if re.fullmatch(r"icudt\d+_dat", word)]
        run(
            tools / "llvm-objcopy", "-O", "binary", "--only-section=.rodata",
            place / MEMBER, place / "whole",
        )
        whole = (place / "whole").read_bytes()
    header, found = items(whole)
    kept = [item for item in found if is_kept(item[0])]
    part = package(header, kept)
    target = pathlib.Path(target).resolve()
    data = target.with_suffix(".dat")
    target.parent.mkdir(parents=True, exist_ok=True)
    data.write_bytes(part)
    target.write_text(
        f'.section .rodata.{symbol},"a",%progbits\n'
        f".globl {symbol}\n.type {symbol},%object\n.balign 16\n{symbol}:\n"
        f'.incbin "{data}"\n.size {symbol}, .-{symbol}\n.text\n'
    )
    print(f"ICU's data: {len(kept)} of {len(found)} items, {len(part):,} of {len(whole):,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[2].strip())
    main(sys.argv[1])
