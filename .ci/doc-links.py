#!/usr/bin/env python3
"""Follows the links between Markdown files, and rewrites those of a catalogue for docc.

    python3 .ci/doc-links.py                    fails where a link leads to no file or no heading
    python3 .ci/doc-links.py CATALOG FOLDER     copies a documentation catalogue with links that docc follows

GitHub follows `[text](page.md#heading)`, docc follows `[text](doc:page#Heading)`. The files have GitHub's
form. In the copy, a link to a page of the same catalogue has docc's form, and any other one is its text.
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def headings(path):
    """The headings of a file, by the anchors that GitHub makes of them."""
    found = {}
    is_code = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("```"):
                is_code = not is_code
            match = re.match(r"#{1,6}\s+(.*)", line)
            if not match or is_code:
                continue
            text = LINK.sub(r"\1", match.group(1)).replace("`", "").strip()
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            place = slug
            count = 0
            while place in found:
                count += 1
                place = f"{slug}-{count}"
            found[place] = text
    return found


def prose(text):
    """The pieces of a text, each with whether links are followed in it: not in code."""
    for piece in re.split(r"(```.*?\n```|`[^`\n]+`(?!\]))", text, flags=re.DOTALL):
        yield piece, not piece.startswith("`")


def check():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\n")
    failed = False
    for name in listed:
        path = os.path.join(ROOT, name)
        if not name or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for piece, is_prose in prose(text):
            for _, target in LINK.findall(piece) if is_prose else []:
                if re.match(r"[a-z]+:", target):
                    continue
                place, _, anchor = target.partition("#")
                aim = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
                if not os.path.exists(aim):
                    print(f"{name}: {target} leads to no file")
                    failed = True
                elif anchor and anchor not in headings(aim):
                    print(f"{name}: {target} leads to no heading")
                    failed = True
    return 1 if failed else 0


def convert(catalog, folder):
    catalog = os.path.abspath(catalog)
    shutil.copytree(catalog, folder)
    pages = {
        os.path.join(place, name)
        for place, _, names in os.walk(catalog) for name in names if name.endswith(".md")
    }
    for path in pages:
        def followed(match, path=path):
            text, target = match.groups()
            if re.match(r"[a-z]+:", target):
                return match.group(0)
            place, _, anchor = target.partition("#")
            aim = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
            if aim not in pages:
                return text
            heading = headings(aim).get(anchor, "")
            # docc keeps the letters of a heading, drops colons, and takes a hyphen for white space and marks.
            heading = re.sub(r"-+", "-", re.sub(r"[^\w.]", "-", heading.replace(":", ""))).strip("-")
            name = os.path.basename(aim).removesuffix(".md")
            return f"[{text}](doc:{name}{'#' + heading if heading else ''})"

        with open(path, encoding="utf-8") as file:
            text = "".join(
                LINK.sub(followed, piece) if is_prose else piece
                for piece, is_prose in prose(file.read())
            )
        with open(os.path.join(folder, os.path.relpath(path, catalog)), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        convert(sys.argv[1], sys.argv[2])
    else:
        sys.exit(check())
