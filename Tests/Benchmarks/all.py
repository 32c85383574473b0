#!/usr/bin/env python3
"""Prints the figures that Ferry is held to, with those of its peers and their versions, as one table.

    python3 Tests/Benchmarks/all.py [--ferry PATH] [--rounds N] [--share S] [FIGURE ...]

Build first: swift build -c release --product ferry --product ferry-backend. The figures are 1 to 5 and 7 to 9;
all of them are measured where none is named:

    1  validate beside jsonschema-rs and orjson          5  a whole export, and one of 1,000 tables
    2  what a line for each document adds to it          7  upload beside wrk, and the CPU time of a record
    3  two workers beside one                            8  verify
    4  rows to JSON Lines beside sqlite3 and a scan      9  a run without a change, and one that resumes

With --share 0.1, everything is done with a tenth of the records. At full size it takes an hour and 10 GB. A
peer that is missing is named, and its figures are left out.
"""

import argparse
import contextlib
import importlib.metadata
import importlib.util
import io
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import corpora  # noqa: E402
import crossing  # noqa: E402
import export  # noqa: E402
import mixed_store  # noqa: E402
import upload  # noqa: E402
import validation  # noqa: E402

ROOT = validation.ROOT


def row(figure, what, value, wanted):
    print(f"| {figure} | {what} | {value} | {wanted} |", flush=True)


def versions():
    """What is measured beside Ferry, as it says of itself."""
    for name in ("jsonschema-rs", "orjson"):
        try:
            yield f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            yield f"{name} is missing"
    for program, flag in (("sqlite3", "--version"), ("wrk", "-v")):
        if not shutil.which(program):
            yield f"{program} is missing"
            continue
        done = subprocess.run([program, flag], capture_output=True, text=True)
        yield f"{program} {(done.stdout or done.stderr).split(' [')[0].split()[0 if program == 'sqlite3' else 1]}"


@contextlib.contextmanager
def documents(options):
    """The corpora of validation, and what is expected of them."""
    with tempfile.TemporaryDirectory() as folder:
        corpora.make(folder, options.share)
        with open(os.path.join(folder, "expected.json")) as file:
            yield folder, validation.json.load(file)


def missing(name):
    """Whether a peer in Python cannot be imported."""
    return importlib.util.find_spec(name) is None


def against_peers(options):
    if peers := [name for name in ("jsonschema_rs", "orjson") if missing(name)]:
        return row(1, "validate", " and ".join(peers) + " cannot be imported", "≥ 4 ×")
    with documents(options) as (folder, expected):
        ratios = []
        for name in validation.NAMES:
            file, count = os.path.join(folder, name + ".jsonl"), expected[name]["records"]
            own, other = [], []
            for _ in range(options.rounds):
                with tempfile.NamedTemporaryFile() as sink:
                    own.append(validation.ferry_run(options.ferry, name, file, sink.name)["seconds"])
                other.append(validation.python_run("jsonschema-rs", name, file, count)["seconds"])
            ratios.append(statistics.median(other) / statistics.median(own))
            micros = statistics.median(own) / count * 1e6
            row(1, f"validate, {name}", f"{micros:.2f} µs a record, {ratios[-1]:.1f} ×", "≥ 3 ×")
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        row(1, "validate, geometric mean", f"{mean:.1f} ×", "≥ 4 ×")


def lines(options):
    with documents(options) as (folder, expected):
        for name in validation.NAMES:
            seconds = {"text": [], "ndjson": []}
            for _ in range(options.rounds):
                for form, times in seconds.items():
                    command = [
                        options.ferry, "validate", "--schema", validation.schema_path(name), "--layout", "lines",
                        "--formats", "assert", "--workers", "1", "--format", form,
                        os.path.join(folder, name + ".jsonl")]
                    with tempfile.NamedTemporaryFile() as sink:
                        process = subprocess.Popen(command, stdout=sink, stderr=subprocess.DEVNULL)
                        _, _, usage = os.wait4(process.pid, 0)
                    process.returncode = 0
                    times.append(usage.ru_utime + usage.ru_stime)
            more = statistics.median(seconds["ndjson"]) - statistics.median(seconds["text"])
            micros = more / expected[name]["records"] * 1e6
            row(2, f"a line a document more, {name}", f"{micros:.2f} µs", "≤ 0.5 µs")


def workers(options):
    with documents(options) as (folder, _):
        for name in validation.NAMES:
            seconds = {1: [], 2: []}
            for _ in range(options.rounds):
                for count, times in seconds.items():
                    with tempfile.NamedTemporaryFile() as sink:
                        file = os.path.join(folder, name + ".jsonl")
                        times.append(validation.clock_run(options.ferry, name, file, count, sink.name)[0])
            times = statistics.median(seconds[1]) / statistics.median(seconds[2])
            row(3, f"two workers, {name}", f"{times:.2f} ×", "≥ 1.85 ×")


def rows(options):
    """Figures 4 and 5, of one measurement."""
    options.sqlite3 = "sqlite3"
    count = int(1_000_000 * options.share)
    with tempfile.TemporaryDirectory() as tools, tempfile.TemporaryDirectory() as folder:
        found = export.run(options, export.compiled_scan(tools), count, folder)
    cpu = {name: statistics.median(figure[0] for figure in figures) for name, figures in found.items()}
    scan = cpu["scan"]
    own = cpu["rows of export"]
    row(4, f"{count} rows beside sqlite3 -json, CPU", f"{cpu['sqlite3 -json'] / own:.1f} ×", "≥ 3 ×")
    row(4, f"{count} rows beside a scan, CPU", f"{own / scan:.1f} × the scan", "≤ 1.8 ×")
    row(5, f"whole export of {count} rows, CPU", f"{cpu['export'] / scan:.1f} × the scan", "≤ 3 ×")


def tables(options):
    rows(options)
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "tables.sqlite")
        mixed_store.make_tables(store, 1_000)
        times = []
        for number in range(options.rounds):
            start = time.monotonic()
            subprocess.run([options.ferry, "export", store, "-o", os.path.join(folder, str(number)), "--quiet"],
                           check=True, stdout=subprocess.DEVNULL)
            times.append(time.monotonic() - start)
    row(5, "export of 1,000 tables", f"{statistics.median(times):.2f} s", "≤ 1 s")


def sending(options):
    if not shutil.which("wrk"):
        return row(7, "upload", "wrk is missing", "≥ 95 %")
    for count in (15_000, 50_000):
        count = int(count * options.share)
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "data"))
            store = os.path.join(folder, "scale.store")
            subprocess.run(
                [sys.executable, os.path.join(crossing.SAMPLE, "make-store.py"), "--legacy", store,
                 "--scale", str(count)], check=True, stdout=subprocess.DEVNULL)
            server = upload.Development(os.path.join(ROOT, ".build", "release", "ferry-backend"), folder)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    share, cpu = upload.measure(server, options.ferry, store, options.rounds, folder)
            finally:
                server.stop()
        row(7, f"upload of {count} beside wrk", f"{share:.0%}, {cpu * 1e6:.0f} µs of CPU a record", "≥ 95 %")


def reading(options):
    """Figures 8 and 9, of one measurement."""
    count = int(300_000 * options.share)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        took = crossing.run(options.ferry, count, folder)
    seconds, cpu = took["verify"]
    row(8, f"verify of {count}", f"{seconds:.1f} s, {cpu:.1f} s of CPU", "≤ 15 s, ≤ 8 s for 300,000")
    share = took["upload again"][0] / took["upload"][0]
    row(9, f"a run of {count} without a change", f"{share:.1%} of the first", "≤ 1 %")
    row(9, f"first request on resume of {count}", f"{took['first request'][0]:.2f} s", "≤ 0.3 s")


FIGURES = {1: against_peers, 2: lines, 3: workers, 4: rows, 5: tables, 7: sending, 8: reading, 9: reading}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ferry", default=os.path.join(ROOT, ".build", "release", "ferry"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=1.0, help="how many of the records are taken")
    parser.add_argument("figures", nargs="*", type=int, metavar="FIGURE")
    options = parser.parse_args()
    if unknown := set(options.figures) - set(FIGURES):
        parser.error(f"no figure is called {min(unknown)}")
    if not os.access(options.ferry, os.X_OK):
        parser.error(f"there is no program at {options.ferry}; swift build -c release --product ferry")
    options.ferry = os.path.abspath(options.ferry)
    wanted = options.figures or list(FIGURES)
    # What is measured together is measured once.
    if 5 in wanted and 4 in wanted:
        wanted.remove(4)
    if 8 in wanted and 9 in wanted:
        wanted.remove(9)
    print("Beside " + ", ".join(versions()) + f"; medians of {options.rounds}\n")
    print("| Figure | What | Measured | Wanted |\n|---|---|---|---|")
    for figure in wanted:
        FIGURES[figure](options)


if __name__ == "__main__":
    main()
