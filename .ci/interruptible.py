"""Runs a command that an interrupt ends: interruptible.py COMMAND [ARGUMENT ...].

A shell has whatever it starts beside itself ignore interrupts, and sh cannot change that.
"""

import os
import signal
import sys

# Python itself ignores the last two.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
