#!/usr/bin/env python3
"""Makes the two synthetic stores of the app Peated beside this script.

    make-stores.py                 default.store and peated.sqlite3, in this folder
    make-stores.py --folder DIR    both in another folder
    make-stores.py --now MOMENT    of a device that was last used then: 2026-11-29T08:00:00+00:00
"""

import argparse
import datetime
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
# The writer of SwiftData stores belongs to another sample.
sys.path[1:1] = [os.path.join(HERE, "..", "infinite-stories")]

from made import designed, people, plain  # noqa: E402


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=HERE, metavar="DIR")
    parser.add_argument("--now", type=datetime.datetime.fromisoformat, default=people.NOW, metavar="MOMENT")
    arguments = parser.parse_args()
    people.NOW = arguments.now
    folder = arguments.folder
    designed.write(os.path.join(folder, "default.store"))
    plain.write(os.path.join(folder, "peated.sqlite3"))


if __name__ == "__main__":
    main()
