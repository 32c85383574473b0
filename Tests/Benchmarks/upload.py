#!/usr/bin/env python3
"""Measures the upload beside wrk, which sends the same requests to the same server.

    python3 Tests/Benchmarks/upload.py [--ferry PATH] [--kinto PROGRAM] [--rounds N] [--apart] [ROWS]

ROWS is 100000 and N is 3 unless given. Build first: swift build -c release. Needs wrk; with --kinto (or
FERRY_KINTO) the program of Kinto, which gets a tenth of the rows, in requests of 25.

The requests are recorded once, on their way through a proxy. Then Ferry and wrk take turns, over as
many connections, and each finds the server as the other did: the development backend begins with
the same database, which has the heroes and no story; of Kinto each gets an account of its own. What
Ferry needs for signing in, reading and planning is not counted: its own metrics say how long its
upload took. With one connection alone it is measured which share of the upload no request was in
flight because of the checkpoint (Ferry's own metrics say so), and for whatever reason (Ferry was not
waiting for an answer). Medians of the rounds are shown.

On one machine, what Ferry computes is taken from the server, and what wrk computes hardly is. With
--apart (Linux, two processors or more) the server has a processor of its own and each that sends to
it another one, as if they were two machines.
"""

import argparse
import base64
import http.client
import http.server
import json
import os
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLES = os.path.join(ROOT, "Samples")
CONNECTIONS = 2
APART = False

WRK = """
local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long us; } moment; int gettimeofday(moment *, void *);")
local function now()
  local moment = ffi.new("moment[1]")
  ffi.C.gettimeofday(moment, nil)
  return tonumber(moment[0].s) + tonumber(moment[0].us) / 1e6
end
local requests = {}
for line in io.lines(os.getenv("BENCH_REQUESTS")) do
  local method, path, body = line:match("^(%S+) (%S+) (.*)$")
  requests[#requests + 1] = {method, path, body}
end
local headers = {["Content-Type"] = "application/json", ["Authorization"] = os.getenv("BENCH_AUTH")}
-- The first call is wrk's own, which looks at what is given and sends nothing.
local sent, answered, failed, start = -1, 0, 0, nil
-- When all is sent, a connection asks for what is not there until the others have their answers: which
-- request an answer belongs to is not said, and one that is repeated would be counted for another.
function request()
  sent = sent + 1
  start = sent == 1 and now() or start
  local next = requests[math.max(sent, 1)] or {"GET", "/nothing-is-here"}
  return wrk.format(next[1], next[2], headers, next[3])
end
function response(status, _, body)
  if status == 404 then return end
  answered = answered + 1
  if status >= 300 then failed = failed + 1 end
  if answered == #requests then
    print("failed " .. failed .. " seconds " .. (now() - start))
    io.stdout:flush()
    wrk.thread:stop()
  end
end
"""


class Recorder(http.server.BaseHTTPRequestHandler):
    """Hands requests on, and remembers those of the upload."""

    protocol_version = "HTTP/1.1"
    upstream = None
    pattern = None
    kept = []
    lock = threading.Lock()

    def do_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        connection = http.client.HTTPConnection(*self.upstream, timeout=60)
        headers = {k: v for k, v in self.headers.items() if k.lower() != "connection"}
        connection.request(self.command, self.path, body or None, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if re.fullmatch(self.pattern, f"{self.command} {self.path}"):
            with self.lock:
                self.kept.append(f"{self.command} {self.path} {body.decode()}")
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_any

    def log_message(self, *arguments):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url):
    for _ in range(600):
        try:
            return urllib.request.urlopen(url, timeout=5).read()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{url} did not come up")


def beside_senders():
    """Has a server run on the first processor, where servers and senders are kept apart."""
    if APART:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def beside_servers():
    """Has what sends run on the last processor, where servers and senders are kept apart."""
    if APART:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def upload(args, env):
    """Runs the program; gives the CPU seconds that it needed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        args, env=env, capture_output=True, text=True, preexec_fn=beside_servers,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(args[:2])} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Development:
    """The development backend, in requests of 100, with heroes that are there already."""

    name = "development backend"
    profile = os.path.join(SAMPLES, "infinite-stories", "profile.yaml")
    pattern = r"POST /api/batch(/stories)?"
    item = '"id"'
    path = ""

    def __init__(self, program, folder):
        self.program, self.folder, self.kept = program, folder, None
        self.start()
        body = json.dumps({"email": "bench@example.com", "password": "correct-horse"}).encode()
        self.ask("/__dev/account", body)

    def ask(self, path, body):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", body, {"Content-Type": "application/json"},
        )
        return urllib.request.urlopen(request).read()

    def start(self):
        port_file = os.path.join(self.folder, "port")
        if os.path.exists(port_file):
            os.remove(port_file)
        self.process = subprocess.Popen(
            [self.program, "--quiet", "--port-file", port_file,
             "--database", os.path.join(self.folder, "data", "backend.sqlite")],
            preexec_fn=beside_senders,
        )
        for _ in range(600):
            if os.path.exists(port_file) and open(port_file).read().strip():
                break
            time.sleep(0.05)
        self.port = int(open(port_file).read())

    def prepare(self, line):
        """Brings the heroes, and keeps the database as it is then."""
        upload(**line("upload", "--only", "Hero"))
        self.stop()
        self.kept = os.path.join(self.folder, "kept")
        shutil.copytree(os.path.join(self.folder, "data"), self.kept)
        self.start()

    def check(self, count):
        state = json.loads(urllib.request.urlopen(f"http://127.0.0.1:{self.port}/__dev/state").read())
        if state["tables"]["stories"] != count:
            sys.exit(f"{state['tables']['stories']} of {count} stories are there")

    def renew(self):
        if self.kept:
            self.stop()
            shutil.rmtree(os.path.join(self.folder, "data"))
            shutil.copytree(self.kept, os.path.join(self.folder, "data"))
            self.start()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def account(self, name):
        environment = {"BENCH_EMAIL": "bench@example.com", "BENCH_PASSWORD": "correct-horse"}
        return environment, ["--credential", "email=env:BENCH_EMAIL",
                             "--credential", "password=env:BENCH_PASSWORD"]

    def authorization(self, name):
        body = json.dumps({"email": "bench@example.com", "password": "correct-horse"}).encode()
        return "Bearer " + json.loads(self.ask("/api/auth/sign-in/email", body))["token"]


class Kinto:
    """Kinto over its memory, in requests of 25."""

    name = "Kinto"
    profile = os.path.join(SAMPLES, "kinto", "profile.yaml")
    pattern = r"POST /v1/batch"
    item = '"method"'
    path = "/v1"

    def __init__(self, program, folder):
        self.port = free_port()
        ini = os.path.join(folder, "kinto.ini")
        with open(ini, "w") as file:
            file.write("\n".join([
                "[server:main]", "use = egg:waitress#main", "host = 127.0.0.1",
                "port = %(http_port)s", "threads = 4", "[app:main]", "use = egg:kinto",
                "kinto.userid_hmac_secret = for-tests",
                "kinto.storage_backend = kinto.core.storage.memory",
                "kinto.cache_backend = kinto.core.cache.memory",
                "kinto.permission_backend = kinto.core.permission.memory",
                "multiauth.policies = account",
                "multiauth.policy.account.use = "
                "kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy",
                "kinto.account_create_principals = system.Everyone",
                "kinto.bucket_create_principals = system.Authenticated",
                "kinto.includes = kinto.plugins.default_bucket kinto.plugins.accounts",
            ]))
        self.process = subprocess.Popen(
            [program, "start", "--ini", ini, "--port", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=beside_senders,
        )
        wait_for(f"http://127.0.0.1:{self.port}/v1/__heartbeat__")

    def prepare(self, line):
        pass

    def check(self, count):
        pass

    def renew(self):
        pass

    def stop(self):
        self.process.kill()
        self.process.wait()

    def account(self, name):
        # Another account has another bucket, which is empty: every record is made anew.
        body = json.dumps({"data": {"password": "correct-horse"}}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/accounts/{name}", body,
            {"Content-Type": "application/json"}, method="PUT",
        )
        urllib.request.urlopen(request).read()
        environment = {"BENCH_USER": name, "BENCH_PASSWORD": "correct-horse"}
        return environment, ["--credential", "user=env:BENCH_USER",
                             "--credential", "password=env:BENCH_PASSWORD"]

    def authorization(self, name):
        self.account(name)
        return "Basic " + base64.b64encode(f"{name}:correct-horse".encode()).decode()


def figures(path):
    """How long the upload took, how long Ferry waited for answers in it, and for the checkpoint."""
    text = open(path).read()
    stage = re.search(r'ferry_stage_seconds\{stage="upload"\} ([\d.]+)', text)
    waited = re.findall(r'ferry_request_seconds_sum\{kind="(?:create|update|read)"\} ([\d.e-]+)', text)
    checkpoint = re.search(r'ferry_checkpoint_wait_seconds\{stage="upload"\} ([\d.e-]+)', text)
    return float(stage.group(1)), sum(float(value) for value in waited), float(checkpoint.group(1))


def sent_by_wrk(server, requests, folder, name):
    """The seconds that wrk needs for the same requests."""
    script = os.path.join(folder, "wrk.lua")
    with open(script, "w") as file:
        file.write(WRK)
    environment = dict(os.environ, BENCH_REQUESTS=requests, BENCH_AUTH=server.authorization(name))
    # wrk sits out its time when its work is done, so it is asked to stop.
    wrk = subprocess.Popen(
        ["wrk", "-t1", f"-c{CONNECTIONS}", "-d600", "--timeout", "60", "-s", script,
         f"http://127.0.0.1:{server.port}"],
        env=environment, stdout=subprocess.PIPE, text=True, preexec_fn=beside_servers,
    )
    found = None
    for line in wrk.stdout:
        found = re.match(r"failed (\d+) seconds ([\d.]+)", line)
        if found:
            break
    wrk.kill()
    wrk.wait()
    if not found or int(found.group(1)):
        sys.exit(f"wrk: {found.group(0) if found else 'it said nothing'}")
    return float(found.group(2))


def measure(server, ferry, store, rounds, folder):
    """Prints a row; gives the share of what wrk sends, and Ferry's CPU seconds a record."""
    package = os.path.join(folder, f"{type(server).__name__}.ferry")
    subprocess.run(
        [ferry, "export", store, "-o", package, "--profile", server.profile, "--quiet"],
        check=True, stdout=subprocess.DEVNULL,
    )
    metrics = os.path.join(folder, "metrics")

    def line(name, port=None):
        variables, credentials = server.account(name)

        def of(verb, *more):
            environment = dict(
                os.environ, FERRY_STATE_DIR=os.path.join(folder, f"state-{name}"), **variables,
            )
            return {"args": [
                ferry, verb, package, "--profile", server.profile, "--quiet", *more,
                "--to", f"http://127.0.0.1:{port or server.port}{server.path}", *credentials,
            ], "env": environment}

        return of

    server.prepare(line("prepared"))

    # The requests, recorded.
    Recorder.upstream, Recorder.pattern = ("127.0.0.1", server.port), server.pattern
    Recorder.kept = []
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    upload(**line("recorded", proxy.server_address[1])("upload"))
    proxy.shutdown()
    requests = os.path.join(folder, "requests")
    with open(requests, "w") as file:
        file.write("\n".join(Recorder.kept) + "\n")
    sent = sum(entry.count(server.item) for entry in Recorder.kept)

    ours, theirs, idle, held, cpu = [], [], [], [], []
    for number in range(rounds):
        server.renew()
        cpu.append(upload(**line(f"measured{number}")("upload", "--metrics", metrics)) / sent)
        ours.append(sent / figures(metrics)[0])
        server.check(sent)
        server.renew()
        theirs.append(sent / sent_by_wrk(server, requests, folder, f"wrk{number}"))
        server.check(sent)
        server.renew()
        upload(**line(f"single{number}")("upload", "--concurrency", "1", "--metrics", metrics))
        seconds, waited, checkpoint = figures(metrics)
        idle.append(1 - waited / seconds)
        held.append(checkpoint / seconds)
    shares = [mine / other for mine, other in zip(ours, theirs)]
    print(
        f"| {server.name:<20} | {sent:>7} | {statistics.median(ours):9.0f} "
        f"| {statistics.median(theirs):9.0f} | {statistics.median(shares):6.0%} "
        f"| {statistics.median(held):10.1%} | {statistics.median(idle):10.1%} |",
        flush=True,
    )
    return statistics.median(shares), statistics.median(cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ferry", default=os.path.join(ROOT, ".build", "release", "ferry"))
    parser.add_argument("--kinto", default=os.environ.get("FERRY_KINTO"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--apart", action="store_true", help="server and sender on two processors")
    parser.add_argument("rows", nargs="?", type=int, default=100_000)
    options = parser.parse_args()
    global APART
    APART = options.apart
    if APART and (not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2):
        sys.exit("--apart needs Linux and two processors")
    print("| server               | records |   Ferry/s |     wrk/s |  share | checkpoint | no request |")
    print("|---|---|---|---|---|---|---|")
    backend = os.path.join(ROOT, ".build", "release", "ferry-backend")
    kinds = [(Development, backend, options.rows)]
    if options.kinto:
        kinds.append((Kinto, options.kinto, options.rows // 10))
    for kind, program, rows in kinds:
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "data"))
            store = os.path.join(folder, "scale.store")
            subprocess.run(
                [sys.executable, os.path.join(SAMPLES, "infinite-stories", "make-store.py"),
                 "--legacy", store, "--scale", str(rows)],
                check=True, stdout=subprocess.DEVNULL,
            )
            server = kind(program, folder)
            try:
                measure(server, options.ferry, store, options.rounds, folder)
            finally:
                server.stop()


if __name__ == "__main__":
    main()
