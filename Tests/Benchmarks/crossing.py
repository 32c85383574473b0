#!/usr/bin/env python3
"""Measures the whole way on synthetic stores: time, records a second and peak memory of each stage.

    python3 Tests/Benchmarks/crossing.py [--ferry PATH] [ROWS ...]      default: 10000 100000

Build first: swift build -c release --product ferry. Every stage is a process of its own, so that
its peak memory is its own; the development backend runs beside them, on the same machine. Memory that
grew with the rows would show here (001-63 of the designs).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "Samples", "infinite-stories")


def measured(arguments, environment, expected=(0,)):
    """Runs a process; gives seconds, CPU seconds and peak resident memory in MiB."""
    start = time.monotonic()
    process = subprocess.Popen(
        arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expected:
        sys.exit(f"{' '.join(arguments[:2])} ended with {process.returncode}:\n{output[-2000:]}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


def run(ferry, rows, folder):
    store = os.path.join(folder, "scale.store")
    subprocess.run(
        [sys.executable, os.path.join(SAMPLE, "make-store.py"), "--legacy", store, "--scale", str(rows)],
        check=True, stdout=subprocess.DEVNULL,
    )
    environment = dict(
        os.environ, FERRY_STATE_DIR=os.path.join(folder, "state"),
        BENCH_EMAIL="demo@example.com", BENCH_PASSWORD="correct-horse",
    )
    port_file = os.path.join(folder, "port")
    backend = subprocess.Popen(
        [ferry, "backend", "--quiet", "--port-file", port_file,
         "--database", os.path.join(folder, "backend.sqlite")],
    )
    try:
        for _ in range(600):
            if os.path.exists(port_file):
                break
            time.sleep(0.05)
        with open(port_file) as file:
            origin = f"http://127.0.0.1:{file.read().strip()}"
        profile = ["--profile", os.path.join(SAMPLE, "profile.yaml")]
        destination = profile + [
            "--to", origin, "--credential", "email=env:BENCH_EMAIL",
            "--credential", "password=env:BENCH_PASSWORD",
        ]
        package = os.path.join(folder, "package")
        stages = [
            ("export", ["export", store, "-o", package, *profile]),
            ("validate", ["validate", package]),
            ("plan", ["plan", package, *destination]),
            ("upload", ["upload", package, *destination]),
            ("verify", ["verify", package, *destination]),
            ("upload again", ["upload", package, *destination]),
        ]
        for name, arguments in stages:
            seconds, cpu, memory = measured([ferry, *arguments, "--quiet"], environment)
            rate = rows / seconds
            print(
                f"| {rows:>7} | {name:<12} | {seconds:8.2f} | {cpu:8.2f} | {rate:9.0f} | {memory:7.1f} |",
                flush=True,
            )
    finally:
        backend.terminate()
        backend.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ferry", default=os.path.join(ROOT, ".build", "release", "ferry"))
    parser.add_argument("rows", nargs="*", type=int, default=[10_000, 100_000])
    options = parser.parse_args()
    print("|    rows | stage        |  seconds |   CPU s  | records/s | peak MiB |")
    print("|---|---|---|---|---|---|")
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            run(options.ferry, rows, folder)


if __name__ == "__main__":
    main()
