#!/usr/bin/env python3
"""Measures rows to hashed JSON Lines: CPU time and peak memory, side by side with SQLite itself.

    python3 Tests/Benchmarks/export.py [--ferry PATH] [--runs N] [ROWS ...]
                                                    default: 10000 100000 1000000

Build first: swift build -c release --product ferry. Needs sqlite3, a C compiler and SQLite's header.

Each count of rows has a store of its own, with one large table of mixed types. In each run, one
after the other and each a process of its own:

    ferry export    the whole of it: private copy, digests of the source before and after, check for
                    damage, rows to a package on the disk
    ferry inspect   what of that is not the rows: copy, digest, check, counts
    sqlite3 -json   SELECT * of the same table to a file
    scan            a bare sqlite3_step loop that touches each column (scan.c)

“Rows” is export less inspect. CPU time is user and system time together, the median of the runs.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import mixed_store

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
QUERY = "SELECT * FROM ZENTRY"


def measured(arguments, output=os.devnull):
    """Runs a process; gives CPU seconds and peak resident memory in MiB."""
    with open(output, "w") as file:
        process = subprocess.Popen(arguments, stdout=file, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(arguments[:3])} ended with {process.returncode}; see {output}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


def compiled_scan(folder):
    """Compiles the scan; gives the program's path."""
    program = os.path.join(folder, "scan")
    subprocess.run(
        ["cc", "-O2", "-o", program, os.path.join(HERE, "scan.c"), "-lsqlite3"], check=True)
    return program


def run(options, scan, rows, folder):
    """Measures one store; gives a list of figures for each program, by its name."""
    store = os.path.join(folder, "mixed.store")
    profile = os.path.join(folder, "profile.yaml")
    package = os.path.join(folder, "package")
    mixed_store.make(store, rows)
    with open(profile, "w") as file:
        file.write(mixed_store.PROFILE)
    programs = {
        "ferry export": [
            options.ferry, "export", store, "-o", package, "--profile", profile, "--quiet"],
        "ferry inspect": [options.ferry, "inspect", store, "--quiet"],
        "sqlite3 -json": [options.sqlite3, "-json", store, QUERY],
        "scan": [scan, store, "ZENTRY"],
    }
    figures = {name: [] for name in programs}
    for _ in range(options.runs):
        for name, arguments in programs.items():
            shutil.rmtree(package, ignore_errors=True)
            figures[name].append(measured(arguments, os.path.join(folder, "output")))
    return figures


def report(rows, figures):
    """Prints the table of one store."""
    cpu = {name: statistics.median(seconds for seconds, _ in runs) for name, runs in figures.items()}
    peak = {name: max(memory for _, memory in runs) for name, runs in figures.items()}
    cpu["rows"] = cpu["ferry export"] - cpu["ferry inspect"]
    for name in ("ferry export", "ferry inspect", "rows", "sqlite3 -json", "scan"):
        seconds = max(cpu[name], 0.001)
        memory = f"{peak[name]:8.1f}" if name in peak else " " * 8
        print(
            f"| {rows:>7} | {name:<13} | {seconds:8.3f} | {rows / seconds:9.0f} | {memory} "
            f"| {cpu['sqlite3 -json'] / seconds:16.2f} | {seconds / max(cpu['scan'], 0.001):10.2f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ferry", default=os.path.join(ROOT, ".build", "release", "ferry"))
    parser.add_argument("--sqlite3", default="sqlite3")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("rows", nargs="*", type=int, default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    if not os.access(options.ferry, os.X_OK):
        parser.error(f"there is no program at {options.ferry}; swift build -c release --product ferry")
    print("|    rows | program       |    CPU s |    rows/s | peak MiB | times as fast as | times the  |")
    print("|         |               |          |           |          | sqlite3 -json    | scan's CPU |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as tools:
        scan = compiled_scan(tools)
        for rows in options.rows:
            with tempfile.TemporaryDirectory() as folder:
                report(rows, run(options, scan, rows, folder))


if __name__ == "__main__":
    main()
