#!/usr/bin/env python3
"""CSV files from the file to a valid package, each value beside what Python's csv reads.

    csv-files.py FERRY FOLDER [--refused NAME ...]

FOLDER holds CSV files in UTF-8 with a header, as the `csvs` of https://github.com/max-mapper/csv-spectrum and the
`csv` of https://github.com/sineemore/csv-test-data. Each goes through init, export and validate; then each value of
each row is compared: as text, and an empty one as null. A file that is named as refused has to end with status 10.
Ends with 1 where anything differs.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile


def expected(file):
    with open(file, encoding="utf-8-sig", newline="") as text:
        (header, *rows) = csv.reader(text)
    # As DictReader does, empty lines are passed over.
    return [dict(zip(header, row, strict=True)) for row in rows if row]


def text(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def exported(package, names):
    records = []
    for data in sorted((package / "data").iterdir()):
        with open(data, encoding="utf-8") as lines:
            records += [json.loads(line) for line in lines]
    return [{name: text(record.get(name)) for name in names} for record in records]


def in_order(rows):
    """A package is sorted by identities, so rows are compared in an order of their own."""
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def differences(ferry, file, folder):
    """What is wrong with one file; `None` where nothing is."""
    (draft, package) = (folder / "draft", folder / "package.ferry")
    for words in [
        ["init", file, "-o", draft],
        ["export", file, "--profile", draft / "profile.yaml", "-o", package,
         "--allow-empty-source"],
        ["validate", package],
    ]:
        run = subprocess.run(
            [ferry, *words, "--quiet", "--state-dir", folder / "state"],
            stdin=subprocess.DEVNULL, text=True, capture_output=True)
        if run.returncode != 0:
            return f"{words[0]} ended with {run.returncode}: {run.stderr.strip()[-300:]}"
    rows = expected(file)
    found = exported(package, rows[0] if rows else [])
    return None if in_order(rows) == in_order(found) else f"{rows} became {found}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ferry", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--refused", nargs="+", default=[])
    given = parser.parse_args()
    ferry = given.ferry.resolve()
    files = sorted(given.folder.glob("*.csv"))
    wrong = 0
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            difference = differences(ferry, file, pathlib.Path(folder))
        if file.name in given.refused:
            refused = difference is not None and difference.startswith("init ended with 10")
            difference = None if refused else f"it is not refused: {difference}"
        wrong += difference is not None
        print(f"ok   {file.name}" if difference is None else f"FAIL {file.name}: {difference}")
    print(f"{len(files)} files, {wrong} are not as they should be")
    sys.exit(1 if wrong or not files else 0)


if __name__ == "__main__":
    main()
