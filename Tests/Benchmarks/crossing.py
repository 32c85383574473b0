#!/usr/bin/env python3
"""Measures the whole way on synthetic stores: time, records a second and peak memory of each stage.

    python3 Tests/Benchmarks/crossing.py [--ferry PATH] [ROWS ...]      default: 10000 100000

Build first: swift build -c release. Every stage is a process of its own, so that its peak memory is its
own; the development backend that was built runs beside them, on the same machine. Memory that
grew with the rows would show here (001-63 of the designs); 1000000 rows take some minutes and 6 GB.
“upload again” has nothing to do, and the line below says what share of the first upload's time it
took. In the end an upload to an empty backend is killed when a third has been sent, and begun again:
“first request” and “first write” are the times from the start of that process until the server gets its
first request, and the first that brings records. A lost request may arrive for as long as `settle` says in
the profile; that wait is a second here, and is taken off the time of the first write.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SETTLE = 1.0
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

    def __init__(self, folder, name):
        port_file = os.path.join(folder, f"{name}.port")
        program = os.path.join(ROOT, ".build", "release", "ferry-backend")
        self.process = subprocess.Popen(
            [program, "--quiet", "--port-file", port_file,
             "--database", os.path.join(folder, f"{name}.sqlite")],
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


class Relay:
    """Sits in front of a backend, and knows when which request came by."""

    def __init__(self, port):
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.forget()
        threading.Thread(target=self.accept, daemon=True).start()

    def forget(self):
        self.first_request = self.first_write = None
        self.write_count = 0

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            for pair in ((client, server, True), (server, client, False)):
                pair[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, target, asks):
        try:
            while data := source.recv(1 << 18):
                if asks:
                    self.note(data)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            source.close()
            target.close()

    def note(self, data):
        now = time.monotonic()
        self.first_request = self.first_request or now
        if data.startswith(b"POST /api/batch"):
            self.write_count += 1
            self.first_write = self.first_write or now


def resumed(line, relay, environment, rows):
    """Kills an upload when a third was sent; gives the seconds to the first requests of the next."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    killed = subprocess.Popen(line, env=environment, **quiet)
    while relay.write_count < max(rows // 300, 2):
        if killed.poll() is not None:
            sys.exit(f"the upload ended with {killed.returncode} before it could be killed")
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    # What was on its way arrives before anything is counted.
    time.sleep(0.5)
    relay.forget()
    start = time.monotonic()
    again = subprocess.run(line, env=environment, **quiet)
    if again.returncode != 0:
        sys.exit(f"the resumed upload ended with {again.returncode}")
    return relay.first_request - start, relay.first_write - start - SETTLE


def run(ferry, rows, folder):
    """Prints the figures of each stage; gives seconds and CPU seconds by the name of the stage."""
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

    # The same profile, after which a lost request is given up sooner.
    hasty = os.path.join(folder, "hasty.yaml")
    with open(profile[1]) as given, open(hasty, "w") as written:
        text = given.read()
        assert text.count("settle: 60s") == 1
        written.write(text.replace("settle: 60s", f"settle: {SETTLE:g}s"))

    def to(backend, profile=profile):
        return profile + [
            "--to", backend.origin, "--credential", "email=env:BENCH_EMAIL",
            "--credential", "password=env:BENCH_PASSWORD", "--quiet",
        ]

    backend = Backend(folder, "first")
    try:
        stages = [
            ("export", ["export", store, "-o", package, *profile, "--quiet"]),
            ("validate", ["validate", package, "--quiet"]),
            ("plan", ["plan", package, *to(backend)]),
            ("upload", ["upload", package, *to(backend)]),
            ("verify", ["verify", package, *to(backend)]),
            ("upload again", ["upload", package, *to(backend)]),
        ]
        took = {}
        for name, arguments in stages:
            seconds, cpu, memory = measured([ferry, *arguments], environment)
            took[name] = (seconds, cpu)
            rate = rows / seconds
            print(
                f"| {rows:>7} | {name:<13} | {seconds:8.2f} | {cpu:8.2f} | {rate:9.0f} | {memory:7.1f} |",
                flush=True,
            )
    finally:
        backend.stop()
    share = took["upload again"][0] / took["upload"][0]
    print(f"| {rows:>7} | … its share   | {share:8.1%} |          |           |         |", flush=True)
    other = os.path.join(folder, "other")
    measured(
        [ferry, "export", store, "-o", other, "--profile", hasty, "--quiet"], environment,
    )
    backend = Backend(folder, "second")
    try:
        relay = Relay(int(backend.origin.rsplit(":", 1)[1]))
        line = [ferry, "upload", other, *to(relay, ["--profile", hasty])]
        moments = resumed(line, relay, environment, rows)
        for name, seconds in zip(("first request", "first write"), moments):
            took[name] = (seconds, 0)
            print(
                f"| {rows:>7} | {name:<13} | {seconds:8.2f} |          |           |         |",
                flush=True,
            )
    finally:
        backend.stop()
    return took


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
