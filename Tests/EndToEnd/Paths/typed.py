"""Types commands as a user does, and writes down each command with its output and its seconds."""

import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Transcript:
    """A folder with an unpacked release, in which commands are typed.

    `argv` is that of a script: RELEASE is the folder of an unpacked release, or its archive, and `-o FILE`
    names the transcript, which also goes to standard output.
    """

    def __init__(self, argv):
        words = argv[1:]
        self.file = open(words.pop(words.index("-o") + 1), "w") if "-o" in words else None
        words = [word for word in words if word != "-o"]
        if len(words) != 1:
            sys.exit(f"usage: {argv[0]} RELEASE [-o TRANSCRIPT]")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ferry-path-"))
        self.began = time.monotonic()
        release = pathlib.Path(words[0]).resolve()
        if release.is_file():
            with tarfile.open(release) as archive:
                archive.extractall(self.folder / "release", filter="data")
            release = next((self.folder / "release").iterdir())
        if not (release / "bin/ferry").exists():
            sys.exit(f"{release} has no bin/ferry")
        self.release = release
        self.environment = {
            "PATH": f"{release}/bin:{os.environ['PATH']}", "HOME": str(self.folder),
            "FERRY_STATE_DIR": str(self.folder / "state"), "TMPDIR": str(self.folder),
            "SWIFT_BACKTRACE": "enable=no", "NO_PROXY": "127.0.0.1",
        }
        self.servers = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for server in self.servers:
            server.stop()
        if isinstance(error, SystemExit) and error.code:
            self.say(f"\nSTOPPED: {error.code}\nthe folder is {self.folder}")
        elif kind is None:
            self.say(f"\n{time.monotonic() - self.began:.1f} s in all")
            shutil.rmtree(self.folder)
        if self.file:
            self.file.close()

    def say(self, text):
        for file in [sys.stdout, self.file]:
            if file:
                print(text, file=file, flush=True)

    def heading(self, text):
        self.say(f"\n== {text}\n")

    def type(self, command, status=0, words=(), without=()):
        """Runs one line of a shell; stops where its status or its words are not the expected ones."""
        self.say(f"$ {command}")
        start = time.monotonic()
        ended = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = ended.stdout.replace(str(self.folder), "…")
        self.say(output.rstrip("\n"))
        self.say(f"[{time.monotonic() - start:.1f} s, exit status {ended.returncode}]\n")
        if ended.returncode != status:
            sys.exit(f"`{command}` ended with {ended.returncode}, and not with {status}")
        for word in words:
            if word not in output:
                sys.exit(f"`{command}` did not print “{word}”")
        for word in without:
            if word in output:
                sys.exit(f"`{command}` printed “{word}”")
        return ended.stdout

    def kill_when(self, command, isDue):
        """Begins a line and kills its process (SIGKILL) once `isDue`; stops where it ends before."""
        self.say(f"$ {command}")
        start = time.monotonic()
        process = subprocess.Popen(shlex.split(command), cwd=self.folder, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not isDue():
            time.sleep(0.02)
        if process.poll() is not None:
            sys.exit(f"`{command}` ended with {process.returncode} before it could be killed")
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.say(f"[killed with SIGKILL after {time.monotonic() - start:.1f} s]\n")

    def check(self, thing, found, expected):
        """Writes down what was counted without Ferry, and stops where it is wrong."""
        if found != expected:
            sys.exit(f"{thing}: {found}, and not {expected}")
        self.say(f"   counted: {thing}: {found}")

    def name_of_run(self, isOldest=False):
        """The name of the newest run, or of the oldest."""
        listed = subprocess.run(["ferry", "history", "--format", "ndjson", "--quiet"], text=True, check=True,
                                cwd=self.folder, env=self.environment, stdout=subprocess.PIPE).stdout
        runs = [json.loads(line)["run"] for line in listed.splitlines()]
        return runs[0] if isOldest else runs[-1]

    def export(self, **values):
        """Sets variables, as `export` does; their values are in no transcript."""
        self.say("$ export " + " ".join(f"{name}=…" for name in values) + "\n")
        self.environment.update(values)


class PocketBase:
    """A PocketBase of its own with a superuser and accounts, asked without Ferry.

    FERRY_POCKETBASE names the program.
    """

    PASSWORD = "password1"

    def __init__(self, transcript):
        self.program = os.environ.get("FERRY_POCKETBASE") or sys.exit(
            "FERRY_POCKETBASE names no program; `sh .ci/servers.sh` installs one")
        self.folder = transcript.folder / "pocketbase"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.folder.mkdir()
        subprocess.run([self.program, "superuser", "upsert", "admin@example.com", "secret12345", "--dir",
                        self.folder / "data"], check=True, stdout=subprocess.DEVNULL)
        transcript.servers.append(self)
        self.start()

    def start(self):
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", "--http", f"127.0.0.1:{self.port}", "--dir", self.folder / "data"],
                stdout=log, stderr=log)
        for _ in range(200):
            try:
                self.ask("GET", "/api/health")
                break
            except OSError:
                time.sleep(0.05)
        self.token = None
        self.token = self.ask("POST", "/api/collections/_superusers/auth-with-password", {
            "identity": "admin@example.com", "password": "secret12345"})["token"]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    token = None

    def ask(self, method, route, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = self.token
        request = urllib.request.Request(self.origin + route, method=method, headers=headers,
                                         data=None if body is None else json.dumps(body).encode())
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=20) as answer:
            data = answer.read()
        return json.loads(data) if data else None

    def add_user(self, email):
        return self.ask("POST", "/api/collections/users/records", {
            "email": email, "password": self.PASSWORD, "passwordConfirm": self.PASSWORD,
            "verified": True})["id"]

    def allow_batches(self, most=50):
        self.ask("PATCH", "/api/settings", {
            "batch": {"enabled": True, "maxRequests": most, "timeout": 3}})

    def import_collections(self, file):
        self.ask("PUT", "/api/collections/import", json.loads(pathlib.Path(file).read_text()))

    def rows(self, collection, filter=""):
        """All rows of a collection, page by page."""
        rows, page = [], 1
        while True:
            query = urllib.parse.urlencode({"perPage": 500, "page": page, "sort": "id", "filter": filter})
            got = self.ask("GET", f"/api/collections/{collection}/records?{query}")["items"]
            rows += got
            if len(got) < 500:
                return rows
            page += 1

    def count(self, collection, filter=""):
        """The total that PocketBase itself says."""
        query = urllib.parse.urlencode({"perPage": 1, "filter": filter})
        return self.ask("GET", f"/api/collections/{collection}/records?{query}")["totalItems"]
