#!/usr/bin/env python3
"""Real Realm files from the file to a valid package, cell by cell; and those that no program can read.

    realm-files.py FERRY [--reader read_realm.py] [-o REPORT]

FERRY_STORES names the folder of real stores. Each good file goes through inspect, init, export and validate; each
cell is compared with the values that Realm's own library read from it and, with `--reader`, with what an
independent reader prints beside. Files to refuse, and good ones that are cut, end with status 10, soon and with
little memory; a cut file that is read all the same has every cell. Ends with 1 where anything differs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

CELLS = pathlib.Path(__file__).parent.parent / "Scripts/realm_cells.py"
MOST_SECONDS = 10
MOST_MEBIBYTES = 64
# Parts of a file that are left of it.
CUTS = [1 / 64, 1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8, 15 / 16, 63 / 64]


class Runner:
    def __init__(self, program, folder):
        (self.program, self.folder) = (program, folder)

    def run(self, *words):
        """The exit status, the seconds and the peak of the resident memory in MiB."""
        begun = time.monotonic()
        process = subprocess.Popen(
            [self.program, *map(str, words), "--quiet", "--state-dir", f"{self.folder}/state"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (_, status, usage) = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return process.returncode, time.monotonic() - begun, usage.ru_maxrss / unit


def credential(key, folder):
    if not key:
        return []
    path = folder / "key"
    path.write_text(key)
    path.chmod(0o600)
    return ["--credential", f"realm-key=file:{path}"]


def compared(expected, package):
    """How many cells there were, and those that differ."""
    cells = subprocess.run([sys.executable, "-B", CELLS, expected, package], text=True, capture_output=True)
    lines = cells.stdout.splitlines() or [cells.stderr.strip()[-200:]]
    return lines[-1], cells.returncode == 0


def good(runner, folder, file, row, reader):
    """The words about a good file, and whether all is as it should be."""
    key = credential(row["key"], folder)
    (draft, package) = (folder / "draft", folder / "one.ferry")
    steps = [
        ["inspect", file], ["init", file, "-o", draft],
        ["export", file, "--profile", draft / "profile.yaml", "-o", package, "--allow-empty-source"],
    ]
    results = [runner.run(*step, *key) for step in steps] + [runner.run("validate", package)]
    (words, is_right) = ([], all(status == 0 for (status, _, _) in results))
    sources = [("library", file.parent / row["expected"])]
    if reader:
        beside = folder / "beside.json"
        given = ["--key", row["key"]] if row["key"] else []
        with open(beside, "w") as output:
            subprocess.run([sys.executable, "-B", reader, file, *given], stdout=output, check=True)
        sources.append(("reader", beside))
    for (name, expected) in sources:
        (cells, is_equal) = compared(expected, package)
        words.append(f"{name}: {cells}")
        is_right = is_right and is_equal
    seconds = sum(taken for (_, taken, _) in results)
    peak = max(mebibytes for (_, _, mebibytes) in results)
    statuses = " ".join(str(status) for (status, _, _) in results)
    return f"{statuses}; {'; '.join(words)}; {seconds:.1f} s, at most {peak:.0f} MiB", is_right


def refused(runner, folder, file, key=None, expected=None):
    """The status of a file that may have to be refused, and whether it ends as it should."""
    package = folder / "one.ferry"
    is_right = True
    statuses = []
    (longest, peak) = (0, 0)
    for words in [["inspect", file], ["export", file, "-o", package, "--allow-empty-source"]]:
        (status, seconds, mebibytes) = runner.run(*words, *credential(key, folder))
        statuses.append(status)
        (longest, peak) = (max(longest, seconds), max(peak, mebibytes))
        is_right = is_right and seconds < MOST_SECONDS and mebibytes < MOST_MEBIBYTES
    if package.exists():
        is_right = is_right and expected is not None and compared(expected, package)[1]
    else:
        is_right = is_right and statuses[-1] == 10
    return statuses, longest, peak, is_right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--reader")
    parser.add_argument("-o", dest="report")
    given = parser.parse_args()
    stores = pathlib.Path(os.environ["FERRY_STORES"]) / "realm"
    rows = {row["file"]: row for row in map(json.loads, open(stores / "index.jsonl"))}
    output = open(given.report, "w") if given.report else sys.stdout
    faults = 0

    def say(name, words, is_right):
        nonlocal faults
        faults += not is_right
        print(f"{'ok  ' if is_right else 'FALSE'} {name}: {words}", file=output, flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        def fresh():
            return pathlib.Path(tempfile.mkdtemp(dir=scratch))

        for name in sorted(rows):
            file = stores / name
            folder = fresh()
            if name.startswith("bad-"):
                (statuses, seconds, peak, is_right) = refused(Runner(given.program, folder), folder, file)
                say(name, f"{statuses}, {seconds:.1f} s, {peak:.0f} MiB", is_right)
                continue
            say(name, *good(Runner(given.program, folder), folder, file, rows[name], given.reader))
        (count, refusals, longest, highest) = (0, 0, 0, 0)
        for name in sorted(rows):
            if name.startswith("bad-"):
                continue
            whole = (stores / name).read_bytes()
            for part in CUTS:
                folder = fresh()
                cut = folder / "cut.realm"
                cut.write_bytes(whole[:int(len(whole) * part)])
                row = rows[name]
                (statuses, seconds, peak, is_right) = refused(
                    Runner(given.program, folder), folder, cut, row["key"], stores / row["expected"])
                count += 1
                refusals += statuses[-1] == 10
                (longest, highest) = (max(longest, seconds), max(highest, peak))
                if not is_right:
                    say(f"{name} cut at {part:.3f}", f"{statuses}, {seconds:.1f} s, {peak:.0f} MiB", False)
        say("cut files", f"{count}, of which {refusals} are refused with 10; at most {longest:.1f} s "
            f"and {highest:.0f} MiB", True)
    print(f"{faults} are not as they should be", file=output)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
