"""Runs a program at a terminal of its own, and types.

Usage: typist.py ANSWERS PROGRAM [ARGUMENT...]

ANSWERS is a JSON list of lines. Each is typed once the program has asked for it: when what it wrote
since the last answer holds a question mark at the end of a line. What the terminal showed is printed, and the
program's exit status is given on.
"""

import json
import os
import pty
import select
import sys

answers = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
asked = 0
while True:
    if not select.select([terminal], [], [], 60)[0]:
        os.kill(child, 9)
    try:
        part = os.read(terminal, 65536)
    except OSError:  # The program has closed its end.
        part = b""
    if not part:
        break
    shown += part
    if answers and shown[asked:].rstrip().endswith(b"?"):
        asked = len(shown)
        answer = answers.pop(0)
        # A control character is a key by itself, as Ctrl-C is.
        os.write(terminal, answer.encode() + (b"" if answer and answer < " " else b"\n"))
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
