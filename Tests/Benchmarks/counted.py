#!/usr/bin/env python3
"""Counts the work of the program on small fixed inputs, and holds it against Tests/Benchmarks/counts.tsv.

    python3 Tests/Benchmarks/counted.py [--ferry PATH] [--backend PATH] [--update]

Times are noisy, and counts are hardly: how often the program asks for memory, and how many steps the machine
of SQLite takes for it (allocations.c), how often it asks a destination, by its own metrics, how often it
waits for the disk and how many bytes it writes, by strace. Needs Linux with the GNU C library, a C compiler
and strace. Each count is a difference between two
inputs of which one is larger, so that starting the program is in none of them.

Instructions are not counted: valgrind 3.19 ends with a fault of its own in a program whose first thread goes
over to libdispatch, and virtual machines often have no counters for perf.

A figure that is more than a tenth above its count in the table is a failure, but for some allocations. After a change that is meant,
and with another compiler, the table is written anew with --update.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import corpora  # noqa: E402
import mixed_store  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLE = os.path.join(ROOT, "Samples", "infinite-stories")
TABLE = os.path.join(HERE, "counts.tsv")
TOLERANCE = 0.10
# What a thousand rows or documents may allocate more: buffers grow at other moments from run to run.
SLACK = 25
# What a set looks like in memory is the same in each run.
ENVIRONMENT = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")


def allocations(arguments, library, environment=ENVIRONMENT, expected=(0,)):
    """How often a run of the program asks for memory."""
    return work(arguments, library, environment, expected)[0]


def work(arguments, library, environment=ENVIRONMENT, expected=(0,)):
    """How often a run of the program asks for memory, and how many steps of SQLite it takes."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "count")
        done = subprocess.run(
            arguments, env=dict(environment, LD_PRELOAD=library, ALLOCATIONS=log), capture_output=True, text=True,
        )
        if done.returncode not in expected or not os.path.exists(log):
            sys.exit(f"{' '.join(arguments[:2])} ended with {done.returncode}:\n{done.stderr[-3000:]}")
        with open(log) as file:
            return tuple(map(int, file.readline().split()))


def calls(arguments, folder):
    """How often a run waits for the disk, and how many bytes it writes to files."""
    log = os.path.join(folder, "calls")
    subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,syncfs,write,pwrite64", "-o", log, *arguments],
        env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    waits = written = 0
    with open(log, errors="replace") as file:
        for line in file:
            if re.search(r"\b(fsync|fdatasync|syncfs)\(", line):
                waits += 1
            elif found := re.search(r"\b(?:write|pwrite64)\(.*= (\d+)$", line):
                written += int(found.group(1))
    return waits, written


def head(source, target, lines):
    with open(source, "rb") as file, open(target, "wb") as part:
        for _ in range(lines):
            part.write(file.readline())


def validation(ferry, library, folder):
    """Allocations a document of each corpus, and what a line for each document adds to that."""
    corpora.make(folder, 0.01)
    few, many = 100, 1_000
    for name, *_ in corpora.CORPORA:
        counted = {}
        for form in ("text", "ndjson"):
            for count in (few, many):
                part = os.path.join(folder, f"{name}-{count}.jsonl")
                head(os.path.join(folder, name + ".jsonl"), part, count)
                validate = [
                    ferry, "validate", "--schema", os.path.join(HERE, "corpora", name + ".schema.json"),
                    "--formats", "assert", "--layout", "lines", "--workers", "1", "--format", form, part,
                ]
                # What goes by the clock comes more often where the machine is busy.
                counted[form, count] = min(allocations(validate, library, expected=(0, 4)) for _ in range(3))
        text, lines = ((counted[form, many] - counted[form, few]) / (many - few) for form in ("text", "ndjson"))
        yield f"validate, {name}, allocations for a thousand documents", text * 1_000
        if name == "heroes":
            yield "validate, a line for each document, allocations more for a thousand", (lines - text) * 1_000


def export(ferry, library, folder):
    """Allocations, steps and bytes a row of an export, and how often many entities have it wait for the disk."""
    counted, stepped, written = [], [], []
    rows = (500, 3_500)
    for count in rows:
        store = os.path.join(folder, f"mixed-{count}.store")
        mixed_store.make(store, count)
        package = os.path.join(folder, "package")
        export = [ferry, "export", store, "-o", package, "--quiet"]
        inspect = [ferry, "inspect", store, "--quiet"]
        (asked, steps), opening = work(export, library), work(inspect, library)
        counted.append(asked - opening[0])
        stepped.append(steps - opening[1])
        shutil.rmtree(package)
        written.append(calls(export, folder)[1])
        shutil.rmtree(package)
    yield "export, allocations for a thousand rows", (counted[1] - counted[0]) / (rows[1] - rows[0]) * 1_000
    yield "export, steps of SQLite a row", (stepped[1] - stepped[0]) / (rows[1] - rows[0])
    yield "export, bytes written a row", (written[1] - written[0]) / (rows[1] - rows[0])
    waits = []
    for count in (10, 110):
        store = os.path.join(folder, f"tables-{count}.sqlite")
        mixed_store.make_tables(store, count)
        package = os.path.join(folder, "package")
        waits.append(calls([ferry, "export", store, "-o", package, "--quiet"], folder)[0])
        shutil.rmtree(package)
    yield "export, waits for the disk for a hundred tables more", waits[1] - waits[0]


class Backend:
    """The development backend over a new database."""

    def __init__(self, program, folder):
        port_file = os.path.join(folder, "port")
        self.process = subprocess.Popen(
            [program, "--quiet", "--port-file", port_file, "--database", os.path.join(folder, "backend.sqlite")],
        )
        for _ in range(600):
            if os.path.exists(port_file) and open(port_file).read().strip():
                break
            time.sleep(0.05)
        with open(port_file) as file:
            self.origin = f"http://127.0.0.1:{file.read().strip()}"

    def stop(self):
        self.process.terminate()
        self.process.wait()


def requests(path):
    """How often the destination was asked, by the metrics of a run."""
    with open(path) as file:
        return sum(map(int, re.findall(r"ferry_requests_total\{[^}]*\} (\d+)", file.read())))


def sync(ferry, backend, library, folder):
    """Allocations, steps and requests of an upload, of a verification, and of an upload without a change."""
    few, many = 300, 1_500
    counted = {}
    for rows in (few, many):
        place = os.path.join(folder, str(rows))
        os.mkdir(place)
        store = os.path.join(place, "scale.store")
        subprocess.run(
            [sys.executable, os.path.join(SAMPLE, "make-store.py"), "--legacy", store, "--scale", str(rows)],
            check=True, stdout=subprocess.DEVNULL,
        )
        package = os.path.join(place, "package")
        profile = ["--profile", os.path.join(SAMPLE, "profile.yaml")]
        subprocess.run([ferry, "export", store, "-o", package, *profile, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        environment = dict(
            ENVIRONMENT, FERRY_STATE_DIR=os.path.join(place, "state"),
            BENCH_EMAIL="demo@example.com", BENCH_PASSWORD="correct-horse",
        )
        server = Backend(backend, place)
        try:
            for name, verb in (("upload", "upload"), ("verify", "verify"), ("upload again", "upload")):
                metrics = os.path.join(place, "metrics")
                counted[name, rows] = work(
                    [ferry, verb, package, *profile, "--to", server.origin, "--concurrency", "1",
                     "--credential", "email=env:BENCH_EMAIL", "--credential", "password=env:BENCH_PASSWORD",
                     "--quiet", "--metrics", metrics],
                    library, environment,
                ), requests(metrics)
        finally:
            server.stop()
    for name in ("upload", "verify", "upload again"):
        (less, first), (more, second) = counted[name, few], counted[name, many]
        yield f"{name}, allocations a record", (more[0] - less[0]) / (many - few)
        yield f"{name}, steps of SQLite a record", (more[1] - less[1]) / (many - few)
        yield f"{name}, requests for {many - few} records", second - first


def table():
    """The counts that are written down, by their names."""
    with open(TABLE) as file:
        return {name: float(count) for name, count in (line.rstrip("\n").split("\t") for line in file)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = os.path.join(ROOT, ".build", "release")
    parser.add_argument("--ferry", default=os.path.join(build, "ferry"))
    parser.add_argument("--backend", default=os.path.join(build, "ferry-backend"))
    parser.add_argument("--update", action="store_true", help="write the table anew")
    options = parser.parse_args()
    if platform.system() != "Linux" or not (shutil.which("cc") and shutil.which("strace")):
        print("the work is not counted: that needs Linux, cc and strace", file=sys.stderr)
        return 0
    found = {}
    with tempfile.TemporaryDirectory() as tools:
        library = os.path.join(tools, "allocations.so")
        source = os.path.join(HERE, "allocations.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
        for counts in (
            lambda folder: validation(options.ferry, library, folder),
            lambda folder: export(options.ferry, library, folder),
            lambda folder: sync(options.ferry, options.backend, library, folder),
        ):
            with tempfile.TemporaryDirectory() as folder:
                found.update(counts(folder))
    if options.update:
        with open(TABLE, "w") as file:
            for name, count in found.items():
                file.write(f"{name}\t{count:.0f}\n")
    known = table()
    status = 0
    for name, count in found.items():
        allowed = known.get(name, 0) * (1 + TOLERANCE) + (SLACK if "thousand" in name else 1)
        if count > allowed:
            status = 1
        sign = "✘" if count > allowed else "✔"
        print(f"{sign}\t{name}\t{count:.0f}\t(written down: {known.get(name, 0):.0f})", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
