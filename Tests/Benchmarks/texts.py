#!/usr/bin/env python3
"""How many distinct shared texts a second `ferry import` reads, and how much memory that takes.

    Tests/Benchmarks/texts.py [--ferry PATH] [--count 200000]

Each text is one of the forms below with numbers of its own, so that none repeats another. The command
is `ferry import FILE --explain`, which writes nothing. Hostile texts of 64 KiB follow, each alone.
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
    "Zip #1\n", "#1\n", "Foo #12 3/6\n🟩🟩🟩\n", "Wordle 1 3/6\n", "foodguessr.com 3/4\n",
    "I solved #x #1 in 2 tries\n", "⬛⬛⬛ab 1 2/3 ",
]


def texts(count):
    chance = random.Random(7)
    for number in range(count):
        yield FORMS[number % len(FORMS)].format(
            n=number + 100, p=number + 100, m=chance.randrange(1, 60), s=chance.randrange(60),
            d=chance.randrange(4, 20),
        )


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
        for part in HOSTILE:
            text = part * (65_536 // len(part.encode()))
            _, spent, _ = run(given.ferry, written("hostile.jsonl", [text]))
            print(f"{max(spent - start, 0) * 1000:7.0f} ms for 64 KiB of {part!r}")


if __name__ == "__main__":
    main()
