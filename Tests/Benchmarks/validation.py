#!/usr/bin/env python3
"""Measures parse and validate of JSON Lines, side by side with jsonschema-rs and jsonschema.

    python3 Tests/Benchmarks/validation.py [--ferry PATH] [--rounds N] [--corpora FOLDER] [--scale N]

Build first, as releases are: swift build -c release --static-swift-stdlib --product ferry. Needs from PyPI:

    pip install jsonschema-rs==0.60.3 orjson==3.13.0 'jsonschema[format]==4.26.0' regex==2026.11.15

Each contestant takes each corpus (corpora.py) on one core with formats asserted, once in each
round, one after the other, so that whatever else the machine does meets them alike:

    ferry          `ferry validate --schema`: CPU time of the whole process, its start, the reading of
                   the file and the words for the faulty records included
    jsonschema-rs  orjson.loads and is_valid for each line; the lines are in memory before the clock
                   starts, and what starting Python costs is not counted
    jsonschema     the same in pure Python, over the first --few records

Then Ferry alone takes each corpus with one and with two workers, on all cores: there it is the time
on the clock that counts, and the two outputs must be the same byte for byte.

CPU time is user and system time together, the median of the rounds; a ratio is a contestant's time
over Ferry's. Then the verdicts are compared, record by record: all must agree with expected.json.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import corpora

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NAMES = [name for name, *_ in corpora.CORPORA]


def schema_path(name):
    return os.path.join(HERE, "corpora", name + ".schema.json")


def on_one_core():
    """Keeps a process on one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


# ---- what a child process measures

def checker(contestant, schema):
    """The function that says whether a line is valid."""
    if contestant == "jsonschema-rs":
        import jsonschema_rs
        import orjson

        validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        is_valid, loads = validator.is_valid, orjson.loads
        return lambda line: is_valid(loads(line))
    import jsonschema
    import jsonschema._keywords
    import orjson
    import regex

    # The standard module does not know the \p{L} of a schema.
    jsonschema._keywords.re = regex
    formats = jsonschema.Draft202012Validator.FORMAT_CHECKER
    validator = jsonschema.Draft202012Validator(schema, format_checker=formats)
    is_valid, loads = validator.is_valid, orjson.loads
    return lambda line: is_valid(loads(line))


def child(contestant, name, file, most, shows_verdicts):
    """Validates the lines of a file; prints CPU seconds, peak MiB and the invalid lines."""
    on_one_core()
    with open(schema_path(name), "rb") as schema:
        is_valid = checker(contestant, json.load(schema))
    with open(file, "rb") as corpus:
        lines = corpus.read().splitlines()[:most]
    is_valid(lines[0])
    invalid = []
    start = time.process_time()
    for number, line in enumerate(lines):
        if not is_valid(line):
            invalid.append(number)
    seconds = time.process_time() - start
    print(json.dumps({
        "seconds": seconds, "records": len(lines), "peak": peak(resource.RUSAGE_SELF),
        "invalid": invalid if shows_verdicts else len(invalid)}))


def peak(who):
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(who).ru_maxrss / unit


# ---- what the parent asks for

def python_run(contestant, name, file, most, shows_verdicts=False):
    arguments = [sys.executable, __file__, "--child", contestant, name, file, str(most),
                 str(int(shows_verdicts))]
    return json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)


def ferry_run(ferry, name, file, output):
    """CPU seconds and peak resident MiB of the whole program."""
    with open(output, "w") as sink:
        process = subprocess.Popen(
            [ferry, "validate", "--schema", schema_path(name), "--formats", "assert",
             "--layout", "lines", "--workers", "1", file],
            stdout=sink, stderr=sink, preexec_fn=on_one_core)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 4):
        sys.exit(f"ferry validate ended with {process.returncode}; see {output}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return {"seconds": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / unit}


def clock_run(ferry, name, file, workers, output):
    """Seconds on the clock and peak resident MiB of the whole program, on all cores."""
    with open(output, "w") as sink:
        start = time.monotonic()
        process = subprocess.Popen(
            [ferry, "validate", "--schema", schema_path(name), "--formats", "assert",
             "--layout", "lines", "--workers", str(workers), file],
            stdout=sink, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
    process.returncode = 0
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return seconds, usage.ru_maxrss / unit


def compare_workers(options, folder, expected):
    """Prints what two workers do for the time on the clock; gives whether the outputs agree."""
    agree = True
    for name in NAMES:
        file = os.path.join(folder, name + ".jsonl")
        times, peaks, outputs = {1: [], 2: []}, {}, {}
        with tempfile.TemporaryDirectory() as sinks:
            for _ in range(options.rounds):
                for workers in times:
                    output = os.path.join(sinks, str(workers))
                    seconds, peaks[workers] = clock_run(options.ferry, name, file, workers, output)
                    times[workers].append(seconds)
            for workers in times:
                with open(os.path.join(sinks, str(workers)), "rb") as sink:
                    outputs[workers] = sink.read()
        one, two = (statistics.median(times[workers]) for workers in (1, 2))
        same = outputs[1] == outputs[2]
        agree = agree and same
        size = expected[name]["bytes"] / 1e6
        print(f"workers, {name}: one {one:.3f} s ({size / one:.0f} MB/s), two {two:.3f} s "
              f"({size / two:.0f} MB/s), {one / two:.2f} times as fast; peak {peaks[1]:.1f} and "
              f"{peaks[2]:.1f} MiB; outputs {'the same' if same else 'DIFFER'}", flush=True)
    return agree


def ferry_verdicts(ferry, name, file):
    """The numbers of the invalid lines, counted from zero."""
    process = subprocess.Popen(
        [ferry, "validate", "--schema", schema_path(name), "--formats", "assert",
         "--layout", "lines", "--format", "ndjson", file],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    verdicts = (json.loads(line) for line in process.stdout)
    invalid = [v["line"] - 1 for v in verdicts if v.get("valid") is False and "line" in v]
    process.wait()
    return invalid


def measure(options, folder, expected):
    """Gives the rows of the table, one for each corpus."""
    rows = []
    for name in NAMES:
        file = os.path.join(folder, name + ".jsonl")
        every = expected[name]["records"]
        few = min(options.few, every)
        runs = {"ferry": [], "jsonschema-rs": [], "jsonschema": []}
        with tempfile.TemporaryDirectory() as outputs:
            for _ in range(options.rounds):
                run = ferry_run(options.ferry, name, file, os.path.join(outputs, "output"))
                runs["ferry"].append(run | {"records": every})
                runs["jsonschema-rs"].append(python_run("jsonschema-rs", name, file, every))
                runs["jsonschema"].append(python_run("jsonschema", name, file, few))
        rows.append((name, expected[name], runs))
    return rows


def micros(runs):
    return statistics.median(run["seconds"] / run["records"] for run in runs) * 1e6


def report(rows):
    print("| corpus       | contestant    | µs/record |    MB/s | records/s | times Ferry | peak MiB |")
    print("|---|---|---|---|---|---|---|")
    ratios = {}
    for name, facts, runs in rows:
        size = facts["bytes"] / facts["records"]
        own = micros(runs["ferry"])
        for contestant, figures in runs.items():
            each = micros(figures)
            ratios.setdefault(contestant, []).append(each / own)
            memory = max(run["peak"] for run in figures)
            print(f"| {name:<12} | {contestant:<13} | {each:9.2f} | {size / each:7.1f} "
                  f"| {1e6 / each:9.0f} | {each / own:11.2f} | {memory:8.1f} |")
    del ratios["ferry"]
    for contestant, values in ratios.items():
        mean = math.exp(statistics.fmean(map(math.log, values)))
        print(f"geometric mean of {contestant}'s time over Ferry's: {mean:.2f}")


def compare(options, folder, expected):
    """Compares the verdicts on every record; gives whether all agree."""
    agree = True
    for name in NAMES:
        file = os.path.join(folder, name + ".jsonl")
        wanted = sorted(map(int, expected[name]["invalid_lines"]))
        few = min(options.few, expected[name]["records"])
        peer = python_run("jsonschema-rs", name, file, expected[name]["records"], True)
        pure = python_run("jsonschema", name, file, few, True)
        checks = {
            "ferry": ferry_verdicts(options.ferry, name, file) == wanted,
            "jsonschema-rs": peer["invalid"] == wanted,
            f"jsonschema ({few})": pure["invalid"] == [line for line in wanted if line < few],
        }
        agree = agree and checks["ferry"]
        words = ", ".join(f"{who} {'agrees' if same else 'DIFFERS'}" for who, same in checks.items())
        print(f"verdicts, {name}: {words}", flush=True)
    return agree


def main():
    if sys.argv[1:2] == ["--child"]:
        contestant, name, file, most, shows = sys.argv[2:]
        return child(contestant, name, file, int(most), shows == "1")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ferry", default=os.path.join(ROOT, ".build", "release", "ferry"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--corpora", help="a folder that corpora.py filled, or is to fill")
    parser.add_argument("--scale", type=float, default=1.0, help="1 makes about 600 MB")
    parser.add_argument("--few", type=int, default=1_000, help="records for pure Python")
    options = parser.parse_args()
    if not os.access(options.ferry, os.X_OK):
        parser.error(f"there is no program at {options.ferry}; swift build -c release --product ferry")
    with tempfile.TemporaryDirectory() as own:
        folder = options.corpora or own
        if not os.path.exists(os.path.join(folder, "expected.json")):
            corpora.make(folder, options.scale)
        with open(os.path.join(folder, "expected.json")) as file:
            expected = json.load(file)
        report(measure(options, folder, expected))
        agree = compare_workers(options, folder, expected)
        if not compare(options, folder, expected) or not agree:
            sys.exit("the verdicts are not those that were expected")


if __name__ == "__main__":
    main()
