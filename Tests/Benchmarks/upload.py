#!/usr/bin/env python3
"""Measures the upload beside wrk, which sends the same requests to the same server.

    python3 Tests/Benchmarks/upload.py [--ferry PATH] [--kinto PROGRAM] [ROWS]     default: 20000

Build first: swift build -c release --product ferry. Needs wrk; with --kinto (or FERRY_KINTO) the
program of Kinto, in requests of 25. The requests are recorded once, on their way through a proxy;
wrk then sends each of them once over as many connections as Ferry uses. What Ferry needs for signing
in, reading and planning is measured by itself and taken off.
"""

import argparse
import http.client
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLES = os.path.join(ROOT, "Samples")
CONNECTIONS = 2

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
local sent, answered, failed, start = 0, 0, 0, nil
function request()
  start = start or now()
  sent = math.min(sent + 1, #requests)
  local next = requests[sent]
  return wrk.format(next[1], next[2], headers, next[3])
end
function response(status, _, body)
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
    authorization = None
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
                Recorder.authorization = self.headers.get("Authorization")
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


def timed(arguments, environment):
    start = time.monotonic()
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments[:2])} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return time.monotonic() - start


class Development:
    """The development backend, in requests of 100."""

    name = "development backend"
    profile = os.path.join(SAMPLES, "infinite-stories", "profile.yaml")
    pattern = r"POST /api/batch(/stories)?"
    path = ""

    def __init__(self, ferry, folder):
        port_file = os.path.join(folder, "port")
        self.process = subprocess.Popen(
            [ferry, "backend", "--quiet", "--port-file", port_file,
             "--database", os.path.join(folder, "backend.sqlite")],
        )
        for _ in range(600):
            if os.path.exists(port_file):
                break
            time.sleep(0.05)
        self.port = int(open(port_file).read())

    def account(self, name):
        body = json.dumps({"email": f"{name}@example.com", "password": "correct-horse"}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/__dev/account", body, {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(request).read()
        environment = {"BENCH_EMAIL": f"{name}@example.com", "BENCH_PASSWORD": "correct-horse"}
        return environment, ["--credential", "email=env:BENCH_EMAIL",
                             "--credential", "password=env:BENCH_PASSWORD"]

    def authorization(self, name):
        # What wrk sends names the heroes of the account that was recorded.
        return Recorder.authorization


class Kinto:
    """Kinto over its memory, in requests of 25."""

    name = "Kinto"
    profile = os.path.join(SAMPLES, "kinto", "profile.yaml")
    pattern = r"POST /v1/batch"
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
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        wait_for(f"http://127.0.0.1:{self.port}/v1/__heartbeat__")

    def account(self, name):
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
        # Another account, whose own bucket is empty: every record is made anew.
        import base64
        self.account("wrk")
        return "Basic " + base64.b64encode(b"wrk:correct-horse").decode()


def measure(server, ferry, store, rows, folder):
    package = os.path.join(folder, f"{type(server).__name__}.ferry")
    subprocess.run(
        [ferry, "export", store, "-o", package, "--profile", server.profile, "--quiet"],
        check=True, stdout=subprocess.DEVNULL,
    )

    accounts = {name: server.account(name) for name in ("recorded", "measured")}

    def ferry_line(verb, account, port):
        variables, credentials = accounts[account]
        environment = dict(
            os.environ, FERRY_STATE_DIR=os.path.join(folder, f"state-{account}"), **variables,
        )
        return [ferry, verb, package, "--profile", server.profile, "--quiet",
                "--to", f"http://127.0.0.1:{port}{server.path}", *credentials], environment

    # The requests, recorded.
    Recorder.upstream, Recorder.pattern = ("127.0.0.1", server.port), server.pattern
    Recorder.kept = []
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    timed(*ferry_line("upload", "recorded", proxy.server_address[1]))
    proxy.shutdown()
    requests = os.path.join(folder, "requests")
    with open(requests, "w") as file:
        file.write("\n".join(Recorder.kept) + "\n")
    script = os.path.join(folder, "wrk.lua")
    with open(script, "w") as file:
        file.write(WRK)

    # Ferry, with and without sending.
    planning = timed(*ferry_line("plan", "measured", server.port))
    uploading = timed(*ferry_line("upload", "measured", server.port))
    ours = rows / (uploading - planning)

    # wrk, with the same requests.
    environment = dict(
        os.environ, BENCH_REQUESTS=requests, BENCH_AUTH=server.authorization("recorded"),
    )
    # wrk sits out its time when its work is done, so it is told to stop.
    wrk = subprocess.Popen(
        ["wrk", "-t1", f"-c{CONNECTIONS}", "-d600", "--timeout", "60", "-s", script,
         f"http://127.0.0.1:{server.port}"],
        env=environment, stdout=subprocess.PIPE, text=True,
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
    seconds = float(found.group(2))
    sent = sum(line.count('"localId"') if server.path == "" else line.count('"method"')
               for line in Recorder.kept)
    theirs = sent / seconds
    print(f"| {server.name:<20} | {rows:>7} | {ours:9.0f} | {theirs:9.0f} | {ours / theirs:6.0%} |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ferry", default=os.path.join(ROOT, ".build", "release", "ferry"))
    parser.add_argument("--kinto", default=os.environ.get("FERRY_KINTO"))
    parser.add_argument("rows", nargs="?", type=int, default=20_000)
    options = parser.parse_args()
    print("| server               | records |   Ferry/s |     wrk/s |  share |")
    print("|---|---|---|---|---|")
    kinds = [(Development, options.ferry)] + ([(Kinto, options.kinto)] if options.kinto else [])
    for kind, program in kinds:
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "scale.store")
            subprocess.run(
                [sys.executable, os.path.join(SAMPLES, "infinite-stories", "make-store.py"),
                 "--legacy", store, "--scale", str(options.rows)],
                check=True, stdout=subprocess.DEVNULL,
            )
            server = kind(program, folder)
            try:
                measure(server, options.ferry, store, options.rows, folder)
            finally:
                server.process.kill()
                server.process.wait()


if __name__ == "__main__":
    main()
