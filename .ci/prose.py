#!/usr/bin/env python3
"""Measures the sentences of all documentation, and looks for words that it does not use.

    python3 .ci/prose.py                 every Markdown file of the project
    python3 .ci/prose.py --pages FILE …  these files, a line each
    python3 .ci/prose.py --only FILE …   the two figures of these files alone, for other projects' Markdown
                                         and reStructuredText; no word is looked for

A file fails with a sentence of more than 40 words, a table cell of more than 25, a semicolon that joins
two sentences, or a word of the list below. All files together fail with more than 16 words a sentence, or
with more than 4 % of the sentences above 30 words. Table cells, code, headings and addresses do not count
as sentences. Of a generated page, which quotes the program, only the words are looked at.
"""

import os
import re
import subprocess
import sys

MEAN = 16
LONG = 30
LONG_SHARE = 0.04
LONGEST = 40
CELL = 25

# Words that no one else in the field uses for it; the pattern of each.
WORDS = [
    r"aside", r"strange", r"met", r"tells?", r"told", r"lag", r"wish(es)?", r"desk", r"wires?",
    r"rooms?", r"stands?(?!-in)", r"stood", r"h[au]ngs? on", r"brought", r"taken away", r"whoever",
    r"somebody", r"nobody", r"such a", r"is none", r"was there", r"handback", r"kept aside",
    r"taken back", r"unplaced",
]
# Sentences that hide who does a thing begin so.
STARTS = r"(What|Whatever|Whoever|Such|One that|Where there is none)\b"

BANNED = re.compile(r"\b(" + "|".join(WORDS) + r")\b", re.IGNORECASE)
START = re.compile(STARTS)


def plain(text):
    """The text as it is read: links and emphasis are their words, and code is one word."""
    text = re.sub(r"<doc:[^>]*>|``[^`]+``|`[^`]+`", "Code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<https?:[^>]*>|https?:\S+", "Address", text)
    text = re.sub(r"<[^>]+>", "", text)
    return re.sub(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", "", text)


def blocks(path):
    """The paragraphs, list items and table cells of a file, each with its line and its kind."""
    found = []
    open_block = None
    is_code = False
    table_lines = 0
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare.startswith("```"):
            is_code = not is_code
            open_block = None
            continue
        if is_code or bare.startswith(("<!--", "@")):
            continue
        if bare.startswith("|"):
            table_lines += 1
            open_block = None
            if table_lines > 2:
                for cell in re.split(r"(?<!\\)\|", bare.strip("|")):
                    found.append([number, "cell", cell.strip()])
            continue
        table_lines = 0
        if not bare or bare.startswith("#"):
            open_block = None
            continue
        item = re.match(r"(>\s*|[-*+]\s+|\d+\.\s+)(.*)", bare)
        # A list of symbols or pages is no prose.
        if re.fullmatch(r"- (``[^`]+``|<doc:[^>]+>)", bare):
            open_block = None
            continue
        if item:
            open_block = [number, "text", item.group(2)]
            found.append(open_block)
        elif open_block:
            open_block[2] += " " + bare
        else:
            open_block = [number, "text", bare]
            found.append(open_block)
    return found


def is_underline(line):
    return len(line) > 2 and re.fullmatch(r"([=\-~^\"'`#*+.:_])\1+", line) is not None


def restructured(path):
    """The paragraphs and list items of a file in reStructuredText; code, tables and titles are left out."""
    found = []
    open_block = None
    skipped = None
    with open(path, encoding="utf-8") as file:
        lines = file.read().expandtabs().split("\n") + [""]
    for number, line in enumerate(lines[:-1], 1):
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if not bare:
            if open_block and open_block[2].endswith("::"):
                skipped = open_block[3]
                open_block[2] = open_block[2][:-1]
            open_block = None
            continue
        if skipped is not None:
            if indent > skipped:
                continue
            skipped = None
        if bare.startswith(".."):
            # The body of a note is prose; that of any other directive is not.
            prose = re.match(r"\.\. (note|warning|tip|hint|important|attention|caution)::\s*(.*)", bare)
            open_block = [number, "text", prose.group(2), indent] if prose and prose.group(2) else None
            if open_block:
                found.append(open_block)
            skipped = None if prose else indent
            continue
        if is_underline(bare) or is_underline(lines[number].strip()) or bare.startswith(("+", "|", ":", ">>>", "$ ")):
            open_block = None
            continue
        item = re.match(r"([-*]\s+|#?\d*\.\s+)(.*)", bare)
        if open_block and not item:
            open_block[2] += " " + bare
        else:
            open_block = [number, "text", item.group(2) if item else bare, indent]
            found.append(open_block)
    return [block[:3] for block in found]


def plain_restructured(text):
    """The text as it is read: roles and links are their words, and code is one word."""
    text = re.sub(r"``[^`]+``", "Code", text)
    text = re.sub(r":[a-z:]+:`([^`<]*?)\s*(?:<[^>]*>)?`", r"\1", text)
    text = re.sub(r"`([^`<]*?)\s*<[^>]*>`_{1,2}", r"\1", text)
    text = re.sub(r"`([^`]+)`_{0,2}", r"\1", text)
    text = re.sub(r"https?:\S+", "Address", text)
    return re.sub(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", "", text)


def lengths_only(path):
    """The lengths of the sentences of a file that need not keep our rules."""
    is_restructured = path.endswith(".rst")
    lengths = []
    for _, kind, raw in restructured(path) if is_restructured else blocks(path):
        text = plain_restructured(raw) if is_restructured else plain(raw)
        for sentence in sentences(text) if kind != "cell" else []:
            count = len(words(sentence))
            if count > 3 or count and sentence.endswith("."):
                lengths.append(count)
    return lengths


def figures(lengths):
    """The mean, and the share of long sentences."""
    mean = sum(lengths) / max(len(lengths), 1)
    return mean, sum(1 for length in lengths if length > LONG) / max(len(lengths), 1)


def sentences(text):
    """The sentences of a block; a colon at its end closes one."""
    # Abbreviations and numbers end none.
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|No)\.", lambda m: m.group(0).replace(".", ""), text)
    # A dot in the middle separates links.
    ends = r"(?<=[.!?])[”\")]*\s+(?=[“\"(]?[A-Z0-9…])|\s·\s"
    return [part for part in re.split(ends, text) if part.strip()]


def words(sentence):
    return re.findall(r"[^\W_][\w’'./%:-]*", sentence)


def measure(path):
    """The lengths of a file's sentences, and what is wrong in it."""
    lengths = []
    faults = []
    with open(path, encoding="utf-8") as file:
        is_generated = "<!-- Generated by" in file.read(500)
    for number, kind, raw in blocks(path):
        text = plain(raw)
        if kind == "cell" and len(words(text)) > CELL:
            faults.append((number, f"a table cell of {len(words(text))} words: {text[:60]}"))
        # At the end of an item of a list it joins nothing.
        if ";" in text.rstrip("; ") and not is_generated:
            faults.append((number, f"a semicolon: {text[max(0, text.index(';') - 40):][:60]}"))
        for match in BANNED.finditer(text):
            faults.append((number, f"“{match.group(0)}”: {text[max(0, match.start() - 30):][:60]}"))
        for sentence in sentences(text):
            count = len(words(sentence))
            if count == 0:
                continue
            # Cells are names and phrases: they would make the mean smaller than that of what is read.
            if kind != "cell" and not is_generated and (count > 3 or sentence.endswith(".")):
                lengths.append(count)
            if count > LONGEST and not is_generated:
                faults.append((number, f"a sentence of {count} words: {sentence[:60]}"))
            if START.match(sentence) and not is_generated and not sentence.endswith("?"):
                faults.append((number, f"begins without an actor: {sentence[:60]}"))
    return lengths, faults


def main(arguments):
    if arguments[:1] == ["--only"]:
        lengths = [length for path in arguments[1:] for length in lengths_only(path)]
        mean, share = figures(lengths)
        print(f"{len(arguments) - 1} files, {len(lengths)} sentences: {mean:.1f} words each, "
              f"{share:.1%} above {LONG}")
        return 0
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    show = arguments[:1] == ["--pages"]
    files = arguments[1:]
    if not files:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
            check=True, capture_output=True, text=True,
        )
        files = [name for name in listed.stdout.split("\n") if name and os.path.exists(name)]
    everything = []
    failed = False
    for path in files:
        lengths, faults = measure(path)
        everything += lengths
        failed = failed or bool(faults)
        for number, fault in faults:
            print(f"{path}:{number}: {fault}")
        if show and lengths:
            long = sum(1 for length in lengths if length > LONG)
            print(f"{path}: {sum(lengths) / len(lengths):.1f} words a sentence, {long} of "
                  f"{len(lengths)} above {LONG}")
    mean, share = figures(everything)
    print(f"{len(files)} files, {len(everything)} sentences: {mean:.1f} words each, "
          f"{share:.1%} above {LONG}")
    if mean > MEAN or share > LONG_SHARE:
        print(f"at most {MEAN} words a sentence, and {LONG_SHARE:.0%} above {LONG}")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
