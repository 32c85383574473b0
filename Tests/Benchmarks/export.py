#!/usr/bin/env python3
"""Measures rows to hashed JSON Lines: CPU time, wall time and peak memory, side by side with SQLite.

    swift build -c release --product ferry
    python3 Tests/Benchmarks/export.py [--ferry PATH] [--rounds N] [ROWS ...]

Default: 10000 100000 1000000 rows, 5 rounds. Needs Python 3.9, sqlite3 on the PATH, a C compiler and
SQLite's header (apt: sqlite3 gcc libsqlite3-dev). It writes about 1.5 GB to the folder for temporary
files and removes it. A million rows take a minute to make and some 30 s a round.

Each count of rows has a store of its own, with one large table of mixed types (mixed_store.py) and an
index over its foreign key. In each round these run one after the other, each a process of its own, so
that whatever else the machine does falls on all of them alike:

    export            ferry export STORE, without a profile: private copy, digest of the source, SQLite's
                      full integrity check, rows, package on the disk, comparison of source and copy
    export, profile   the same with a profile that names each field
    inspect           ferry inspect STORE: what of an export is not the rows (copy, digest, check, counts)
    sqlite3 -json     SELECT * of the same table to a file, neither hashed nor synced
    scan              a bare sqlite3_step loop that touches each column (scan.c)

“Rows” is export less inspect, round by round: read, encode, hash, write. All figures are medians over
the rounds; CPU time is user and system time together. Each export is checked: the package must hold as
many lines as the table has rows, and `sha256sum -c` must agree with SHA256SUMS. Exit status 1 when
the rows are less than twice as fast as sqlite3 -json, or need more than three times the CPU of the
scan, or the peak reaches 96 MiB, at the largest count.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import mixed_store  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
QUERY = "SELECT * FROM ZENTRY"
EXPORTS = ("export", "export, profile")


def measured(arguments, output):
    """Runs a process; gives CPU seconds, wall seconds and peak resident memory in MiB."""
    with open(output, "w") as file:
        start = time.monotonic()
        process = subprocess.Popen(arguments, stdout=file, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        with open(output, errors="replace") as file:
            words = file.read(2000)
        sys.exit(f"{' '.join(arguments[:3])} ended with {process.returncode}:\n{words}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / unit


def compiled_scan(folder):
    """Compiles the scan; gives the program's path."""
    program = os.path.join(folder, "scan")
    subprocess.run(
        ["cc", "-O2", "-o", program, os.path.join(HERE, "scan.c"), "-lsqlite3"], check=True)
    return program


def check(package, rows):
    """Counts the lines of the table's records and holds every file against its digest."""
    lines = 0
    data = os.path.join(package, "data")
    for name in os.listdir(data):
        if name.startswith("Entry-"):
            with open(os.path.join(data, name), "rb") as file:
                while block := file.read(1 << 20):
                    lines += block.count(b"\n")
    if lines != rows:
        sys.exit(f"{package} has {lines} records and the table {rows} rows")
    tool = ["sha256sum"] if shutil.which("sha256sum") else ["shasum", "-a", "256"]
    subprocess.run(
        [*tool, "-c", "SHA256SUMS"], cwd=package, check=True, stdout=subprocess.DEVNULL)


def run(options, scan, rows, folder):
    """Measures one store; gives the figures of each round for each program, by its name."""
    store = os.path.join(folder, "mixed.store")
    profile = os.path.join(folder, "mixed-profile.yaml")
    package = os.path.join(folder, "package")
    mixed_store.make(store, rows)
    with open(profile, "w") as file:
        file.write(mixed_store.PROFILE)
    export = [options.ferry, "export", store, "-o", package, "--quiet"]
    programs = {
        "export": export,
        "export, profile": [*export, "--profile", profile],
        "inspect": [options.ferry, "inspect", store, "--quiet"],
        "sqlite3 -json": [options.sqlite3, "-json", store, QUERY],
        "scan": [scan, store, "ZENTRY"],
    }
    figures = {name: [] for name in programs}
    for number in range(options.rounds):
        for name, arguments in programs.items():
            output = os.path.join(folder, "output")
            figures[name].append(measured(arguments, output))
            os.remove(output)
            if name in EXPORTS:
                if number == 0:
                    check(package, rows)
                shutil.rmtree(package)
    opening = figures["inspect"]
    for name in EXPORTS:
        figures["rows of " + name] = [
            (cpu - opened[0], wall - opened[1], memory)
            for (cpu, wall, memory), opened in zip(figures[name], opening)
        ]
    return figures


def report(rows, figures):
    """Prints the table of one store; gives whether the aims are reached."""
    def median(name, index):
        return statistics.median(figure[index] for figure in figures[name])

    reached = True
    json, scan = max(median("sqlite3 -json", 0), 0.001), max(median("scan", 0), 0.001)
    for name in sorted(figures):
        cpu = max(median(name, 0), 0.001)
        peak = max(figure[2] for figure in figures[name])
        print(
            f"| {rows:>7} | {name:<23} | {cpu:8.2f} | {median(name, 1):8.2f} | {rows / cpu:9.0f} "
            f"| {peak:8.1f} | {json / cpu:13.2f} | {cpu / scan:10.2f} |",
            flush=True,
        )
        if name.startswith("rows of"):
            reached = reached and json / cpu >= 2 and cpu / scan <= 3 and peak < 96
    return reached


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ferry", default=os.path.join(ROOT, ".build", "release", "ferry"))
    parser.add_argument("--sqlite3", default="sqlite3")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("rows", nargs="*", type=int, default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    if not os.access(options.ferry, os.X_OK):
        parser.error(f"there is no program at {options.ferry}; swift build -c release --product ferry")
    options.ferry = os.path.abspath(options.ferry)
    print("|    rows | program                 |    CPU s |   wall s |    rows/s | peak MiB "
          "| times as fast | times the  |")
    print("|         |                         |          |          | (by CPU)  |          "
          "| as -json, CPU | scan's CPU |")
    print("|---|---|---|---|---|---|---|---|")
    reached = True
    with tempfile.TemporaryDirectory() as tools:
        scan = compiled_scan(tools)
        for rows in options.rows:
            with tempfile.TemporaryDirectory() as folder:
                reached = report(rows, run(options, scan, rows, folder))
    sys.exit(0 if reached else 1)


if __name__ == "__main__":
    main()
