#!/usr/bin/env python3
"""Measures the memory that `ferry import` takes for long streams: it must follow none of them.

    Tests/Benchmarks/streams.py --ferry PROGRAM [GIGABYTES]        2 unless given

Each form is read twice: as a fiftieth of the size, and whole. Messages, XML and the chat are files
in the folder for temporary files, made on the fly and removed again; JSON Lines and text come
through a pipe. One text in eight is a result; there are 900 different ones, for what is
remembered of each different result is the one thing that grows.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

GRID = ["⬛🟨⬛⬛⬛", "⬛⬛🟨⬛⬛", "🟩🟩⬛🟩🟩", "🟩🟩🟩🟩🟩"]
CHATTER = "see you at eight, and bring the thing we spoke about yesterday evening " * 3


def body(number, end):
    if number % 8:
        return CHATTER + str(number % 977)
    return end.join([f"Wordle {number // 8 % 900} 4/6", ""] + GRID)


def sms(number):
    date = 1709623800000 + number % 16000 * 1000
    text = body(number, "&#10;").replace("🟩", "&#55357;&#57321;").replace("🟨", "&#55357;&#57320;")
    return f'  <sms address="+15550100" date="{date}" type="2" body="{text}" read="1"/>\n'


def xml(number):
    return f"<message><when>2024-03-05T10:11:12Z</when><body>{body(number, chr(10))}</body></message>\n"


def json_line(number):
    text = body(number, "\\n")
    return f'{{"text":"{text}","date":"2024-03-05T10:11:12Z"}}\n'


def chat(number):
    return f"[05.03.24, 10:{number % 60:02}:12] Ada: {body(number, chr(10))}\n"


def text(number):
    return body(number, "\n") + "\n"


NAMES = ["--xml-record", "message", "--xml-text", "body", "--xml-date", "when"]
FORMS = {
    "sms": ("<smses>\n", sms, "</smses>\n", []),
    "xml": ("<messages>\n", xml, "</messages>\n", NAMES),
    "whatsapp": ("", chat, "", []),
    "jsonl": ("", json_line, "", ["--text-field", "text"]),
    "text": ("", text, "", []),
}
PIPED = ["jsonl", "text"]


def write(stream, form, size):
    """Writes so many bytes: the same 16,000 messages again and again."""
    head, make, tail, _ = FORMS[form]
    block = "".join(make(number) for number in range(16000)).encode()
    stream.write(head.encode())
    written = 0
    while written < size:
        stream.write(block)
        written += len(block)
    stream.write(tail.encode())
    return written


def feed(stream, form, size):
    try:
        write(stream, form, size)
        stream.close()
    except BrokenPipeError:
        pass


def run(ferry, form, size, folder):
    package = f"{folder}/{form}.ferry"
    rules = ["--as", form] + FORMS[form][3]
    environment = dict(os.environ, TMPDIR=folder, FERRY_STATE_DIR=f"{folder}/state")
    if form in PIPED:
        arguments, source = ["import", "-"] + rules + ["--explain", "--format", "ndjson"], None
    else:
        source = f"{folder}/{form}.file"
        with open(source, "wb", buffering=1 << 20) as stream:
            write(stream, form, size)
        arguments = ["import", source] + rules + ["-o", package]
    start = time.monotonic()
    errors = tempfile.TemporaryFile(dir=folder)
    process = subprocess.Popen(
        [ferry] + arguments,
        stdin=subprocess.PIPE if form in PIPED else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=environment,
    )
    if form in PIPED:
        thread = threading.Thread(target=feed, args=(process.stdin, form, size))
        thread.start()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if form in PIPED:
        thread.join()
    else:
        os.remove(source)
        shutil.rmtree(package, ignore_errors=True)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        errors.seek(0)
        sys.exit(f"{form}: status {os.waitstatus_to_exitcode(status)}\n{errors.read().decode()}")
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return peak / 1e6, seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ferry", required=True)
    parser.add_argument("--only", action="append", choices=list(FORMS))
    parser.add_argument("gigabytes", nargs="?", type=float, default=2)
    options = parser.parse_args()
    ferry = os.path.abspath(options.ferry)
    size = int(options.gigabytes * 1e9)
    with tempfile.TemporaryDirectory(prefix="ferry-streams-") as folder:
        print("form     | of | small: peak MB | whole: peak MB | seconds | MB/s")
        for form in options.only or FORMS:
            small, _ = run(ferry, form, size // 50, folder)
            large, seconds = run(ferry, form, size, folder)
            kind = "pipe" if form in PIPED else "file"
            print(
                f"{form:8} | {kind} | {small:14.1f} | {large:14.1f} | {seconds:7.1f} | "
                f"{size / 1e6 / seconds:.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
