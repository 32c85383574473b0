#!/usr/bin/env python3
"""Gives every input of a hostile folder to the command it belongs to, and prints what came of it.

    hostile_inputs.py FERRY FOLDER WORK

FOLDER has an index.jsonl, each line with `file`, `kind` and `must`. Standard output has one JSON
object a line: `file`, `must`, `status` (negative for a signal), `seconds` of CPU time, `mebibytes` of
peak resident memory, `said` (the end of what was printed) and `changed`, whether the input or its
folder is no longer as it was. A run that takes longer than a minute is ended by SIGKILL.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading


def command(row, path, work):
    """The words that bring an input to Ferry; None for what belongs to no single command."""
    output = ["-o", os.path.join(work, "package")]
    kind = row["kind"]
    if kind == "sqlite":
        return ["export", path, *output]
    if kind == "xml":
        return ["import", path, "--as", "xml", "--xml-text", "e", *output]
    if kind in ("plist", "bplist"):
        return ["import", path, *output]
    if kind in ("text", "csv"):
        return ["import", path, "--as", "text", *output]
    if kind == "json":
        anything = os.path.join(work, "anything.json")
        with open(anything, "w") as file:
            file.write("{}")
        if "schema-" in row["file"]:
            return ["validate", "--schema", path, anything]
        return ["validate", "--schema", anything, path]
    return None


# A process that is being started counts with what its parent holds, so no file is held whole; of one
# that is larger, which is mostly holes, the end is not read.
PIECE = 1 << 20
LONGEST = 1 << 30


def digest(path):
    """The digest of a file's content."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for _ in range(LONGEST // PIECE):
            piece = file.read(PIECE)
            if not piece:
                break
            found.update(piece)
    return found.hexdigest()


def state(folder):
    """Names, sizes, times and digests of a folder's files."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            about = os.stat(path)
            found[name] = (about.st_size, about.st_mtime_ns, digest(path))
    return found


def run(program, words, work):
    environment = {"PATH": os.environ["PATH"], "HOME": work, "TMPDIR": work}
    with open(os.path.join(work, "said"), "w+b") as said:
        process = subprocess.Popen(
            [program, *words, "--state-dir", os.path.join(work, "state")]
            if words[0] != "validate" else [program, *words],
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment)
        guard = threading.Timer(60, process.kill)
        guard.start()
        _, status, usage = os.wait4(process.pid, 0)
        guard.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")[-2000:]
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return {
        "status": process.returncode,
        "seconds": round(usage.ru_utime + usage.ru_stime, 3),
        "mebibytes": round(usage.ru_maxrss / unit, 1),
        "said": text,
    }


def main():
    program, folder, place = sys.argv[1:4]
    with open(os.path.join(folder, "index.jsonl")) as index:
        rows = [json.loads(line) for line in index]
    before = {}
    for row in rows:
        path = os.path.join(folder, row["file"])
        work = os.path.join(place, "work")
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        words = command(row, path, work)
        if words is None:
            continue
        home = os.path.dirname(path)
        if home not in before:
            before[home] = state(home)
        answer = run(program, words, work)
        after = state(home)
        changed = before[home] != after
        before[home] = after
        print(json.dumps({"file": row["file"], "must": row["must"], **answer, "changed": changed}))


if __name__ == "__main__":
    main()
