#!/usr/bin/env python3
"""Measures the whole way on synthetic stores: time, records a second and peak memory of each stage.

    python3 Tests/Benchmarks/crossing.py [--ferry PATH] [ROWS ...]      default: 10000 100000

Build first: swift build -c release --product ferry. Every stage is a process of its own, so that
its peak memory is its own; the development backend runs beside them, on the same machine. Memory that
grew with the rows would show here (001-63 of the designs). In the end an upload to an empty backend is
killed on its way and begun again: “first request” is the time from the start of that process to the
first request that the server saw.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

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


class Backend:
    """The development backend over a new database."""

    def __init__(self, ferry, folder, name):
        port_file = os.path.join(folder, f"{name}.port")
        self.process = subprocess.Popen(
            [ferry, "backend", "--quiet", "--port-file", port_file,
             "--database", os.path.join(folder, f"{name}.sqlite")],
        )
        for _ in range(600):
            if os.path.exists(port_file) and open(port_file).read().strip():
                break
            time.sleep(0.05)
        with open(port_file) as file:
            self.origin = f"http://127.0.0.1:{file.read().strip()}"

    def state(self):
        return json.loads(urllib.request.urlopen(self.origin + "/__dev/state").read())

    def stop(self):
        self.process.terminate()
        self.process.wait()


def resumed(line, backend, environment, rows):
    """Kills an upload when a third is there; gives the seconds to the first request of the next."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    killed = subprocess.Popen(line, env=environment, **quiet)
    while sum(backend.state()["tables"][name] for name in ("heroes", "stories")) < rows // 3:
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    # What was on its way arrives, and is counted before.
    time.sleep(0.5)
    before = backend.state()["requestCount"]
    start = time.monotonic()
    again = subprocess.Popen(line, env=environment, **quiet)
    while backend.state()["requestCount"] == before and again.poll() is None:
        time.sleep(0.002)
    seconds = time.monotonic() - start
    if again.wait() != 0:
        sys.exit(f"the resumed upload ended with {again.returncode}")
    return seconds


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
    profile = ["--profile", os.path.join(SAMPLE, "profile.yaml")]
    package = os.path.join(folder, "package")

    def to(backend):
        return profile + [
            "--to", backend.origin, "--credential", "email=env:BENCH_EMAIL",
            "--credential", "password=env:BENCH_PASSWORD", "--quiet",
        ]

    backend = Backend(ferry, folder, "first")
    try:
        stages = [
            ("export", ["export", store, "-o", package, *profile, "--quiet"]),
            ("validate", ["validate", package, "--quiet"]),
            ("plan", ["plan", package, *to(backend)]),
            ("upload", ["upload", package, *to(backend)]),
            ("verify", ["verify", package, *to(backend)]),
            ("upload again", ["upload", package, *to(backend)]),
        ]
        for name, arguments in stages:
            seconds, cpu, memory = measured([ferry, *arguments], environment)
            rate = rows / seconds
            print(
                f"| {rows:>7} | {name:<13} | {seconds:8.2f} | {cpu:8.2f} | {rate:9.0f} | {memory:7.1f} |",
                flush=True,
            )
    finally:
        backend.stop()
    backend = Backend(ferry, folder, "second")
    try:
        line = [ferry, "upload", package, *to(backend)]
        seconds = resumed(line, backend, environment, rows)
        print(f"| {rows:>7} | first request | {seconds:8.2f} |          |           |         |", flush=True)
    finally:
        backend.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ferry", default=os.path.join(ROOT, ".build", "release", "ferry"))
    parser.add_argument("rows", nargs="*", type=int, default=[10_000, 100_000])
    options = parser.parse_args()
    print("|    rows | stage         |  seconds |   CPU s  | records/s | peak MiB |")
    print("|---|---|---|---|---|---|")
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            run(options.ferry, rows, folder)


if __name__ == "__main__":
    main()
