#!/usr/bin/env python3
"""How many distinct shared texts a second `ferry import` reads, and how much memory that takes.

    Tests/Benchmarks/texts.py [--ferry PATH] [--count 200000]

Each text is one of the forms below with numbers of its own, so that none repeats another. The command
is `ferry import FILE --explain`, which writes nothing. Hostile texts of 64 KiB follow, each alone: some
parts of texts are repeated by themselves, in lines and behind heads, and others are mixed at random from
a fixed seed. `--worst N` says how many of the slowest are shown.
"""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

FORMS = [
    "Wordle {n:,} 3/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "Connections\nPuzzle #{p}\n🟨🟨🟩🟨\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪",
    "Strands #{p}\n“Well-rounded”\n🔵🔵🟡🔵\n🔵🔵🔵🔵",
    "Queens #{p} | {m}:{s:02}\nlnkd.in/queens.",
    "#Worldle #{p} 2/6 (100%)\n🟩🟩🟩🟩🟨↘️\n🟩🟩🟩🟩🟩🎉\n\nhttps://worldle.teuteuf.fr",
    "Framed #{p}\n🎥 🟥 🟥 🟩 ⬛ ⬛ ⬛\n\nhttps://framed.wtf",
    "Zorkle #{p} 4/6\n\n⬛🟨⬛\n🟨🟨⬛\n⬛🟨🟩\n🟩🟩🟩",
    "I solved #zorble #{p} in {m} guesses!\n🔥🧊🧊\nhttps://zorble.example",
    "See you at {m}:{s:02}, bring {p} chairs and {n} plates",
    "Order {n} of {m} shipped on the {d}th. Thank you for your patience!",
]
HOSTILE = [
    # Whole heads, and lines that are nearly heads.
    "Zip #1\n", "#1\n", "Foo #12 3/6\n🟩🟩🟩\n", "Wordle 1 3/6\n", "foodguessr.com 3/4\n",
    "I solved #x #1 in 2 tries\n", "⬛⬛⬛ab 1 2/3 ", "Wordle ", "Wordle 1,234 4/6 ", "#Wordle #1 ",
    "(Zork) #1 ", "Connections Puzzle #1 ", "Strands #1 “a” ", "Daily Octordle #1 4️⃣🔟 ",
    "#travle #1 +0 ", "#Worldle #1 1/6 (100%) ", "Queens #1 | 1:23 ", "Classic: 1\n", "Score: 1\n",
    "I solved the 1/1/2024 New York Times Mini Crossword in 1:23! ", "🕹️ Gamedle: 06/06/2024 🟥 ",
    "J'ai trouvé #cemantix nº1 en 1 coups ", "Strands #1 https://wordle.com/\n",
    # Emoji, what joins them, and their short names.
    "🟩", "🟩🟨⬛⬜🟥", "⬛️", "\ufe0f", "👩‍🌾", "\u200d", "\u200b", "🇯🇵", "🇯", "👍🏽", "1️⃣", "1\ufe0f",
    "\u20e3", "❌", "⭐", "⬆️➡️", "🏆 ", "⏱ 1:23 ", ":green_square:", ":green_square",
    ":green_square::white_large_square:", ":a", "🟩a",
    # Digits, signs and dates.
    "1", "1,", "1,234,", "1 ", "1\u202f234", "#", "# ", "#1", "/", "1/6", "1/6 ", "X/6 ", ":", "1:",
    "1:23", "1:23 ", "+1 ", "1% ", "2024-01-01 ", "1/2/2024 ", "31.12.2024 ", "Jan 1, 2024 ", "Jan ",
    "Monday ",
    # Marks, words and addresses.
    "(", "()", "(a ", "((((a))))", '"', "“", "|", "-", "*", ".", "a.", "@", "a.com ", "https://",
    "https://wordle.com/", "a@b.com ", "a", "a ", "Aa ", "guesses ", "in 1:23 ", "I got 1 ", "#a",
    "\n", "\r\n", " ", "\t", "\u00a0", "\\n", "\u0001", '{"a":1},', "<a>", "a,b,c\r\n",
    # Other alphabets and forms of letters.
    "ا", "١", "१", "１", "第1回", "가", "א", "е", "e\u0301", "\u0301", "𝐖", "ⓦ", "İ", "ß", "ﬁ", "\u200f",
]
SIZE = 65_536


def texts(count):
    chance = random.Random(7)
    for number in range(count):
        yield FORMS[number % len(FORMS)].format(
            n=number + 100, p=number + 100, m=chance.randrange(1, 60), s=chance.randrange(60),
            d=chance.randrange(4, 20),
        )


def cut(text):
    """A text of 64 KiB at most that ends with a whole character."""
    return text.encode()[:SIZE].decode(errors="ignore")


def hostile():
    """Names and texts: each part repeated, in lines, in paragraphs, behind heads; and mixtures."""
    for part in HOSTILE:
        for name, unit in (("", part), ("lines of ", part + "\n"), ("paragraphs of ", part + "\n\n")):
            yield f"{name}{part!r}", cut(unit * (SIZE // len(unit.encode()) + 1))
        many = part * (SIZE // len(part.encode()) + 1)
        yield f"a described head, {part!r}", cut("Wordle 1,234 4/6\n\n" + many)
        yield f"any head, {part!r}", cut("Zorkle #12 3/6\n" + many)
        yield f"an address behind {part!r}", many[: 8_000] + "\nhttps://zorkle.example/\n" + many[: 8_000]
    chance = random.Random(1)
    for number in range(200):
        parts = "".join(
            chance.choice(HOSTILE) + chance.choice(["", " ", "\n", "\n\n"])
            for _ in range(chance.choice([3, 6, 20_000]))
        )
        yield f"mixture {number}", cut(parts * (SIZE // len(parts.encode()) + 1))


def run(ferry, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run(
        [ferry, "import", path, "--explain", "--quiet"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        sys.exit(f"ferry ended with {done.returncode}: {done.stderr.strip()}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, spent, after.ru_maxrss / 1024


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--ferry", default=".build/release/ferry")
    reader.add_argument("--count", type=int, default=200_000)
    reader.add_argument("--worst", type=int, default=10)
    given = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def written(name, lines):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                for line in lines:
                    file.write(json.dumps({"sharedText": line}, ensure_ascii=False) + "\n")
            return path

        _, start, _ = run(given.ferry, written("one.jsonl", ["hello 1"]))
        _, spent, peak = run(given.ferry, written("texts.jsonl", texts(given.count)))
        rate = given.count / max(spent - start, 1e-9)
        print(f"{given.count} texts: {rate:,.0f} a second and core, {peak:.0f} MiB at most")
        times = []
        for name, text in hostile():
            _, spent, _ = run(given.ferry, written("hostile.jsonl", [text]))
            times.append((max(spent - start, 0) * 1000, name))
        times.sort(reverse=True)
        print(f"{len(times)} hostile texts of 64 KiB; the slowest:")
        for spent, name in times[: given.worst]:
            print(f"{spent:7.0f} ms for {name}")


if __name__ == "__main__":
    main()
