#!/usr/bin/env python3
"""Makes the synthetic SwiftData store of Noted's Mac app, with a picture beside it, in a folder.

    make-mac-store.py --folder DIR                DIR/default.store and DIR/NotedMenu/Images
    make-mac-store.py --folder DIR --seed other   other identities: the store of a second Mac
"""

import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
# The writer of stores belongs to another sample.
sys.path[1:1] = [os.path.join(HERE, "..", "infinite-stories")]

from generator import files  # noqa: E402
from generator.database import StoreWriter  # noqa: E402
from made import mac  # noqa: E402


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, metavar="DIR")
    parser.add_argument("--seed", default="noted-mac")
    options = parser.parse_args()
    rows = mac.Rows(options.seed)
    write(os.path.join(options.folder, "default.store"), rows, options.seed)
    pictures = os.path.join(options.folder, "NotedMenu", "Images")
    os.makedirs(pictures, exist_ok=True)
    # The app has thrown the second one away.
    with open(os.path.join(pictures, rows.file(1)), "wb") as file:
        file.write(mac.PICTURE)


def write(path, rows, seed):
    """Writes the store."""
    files.remove(path)
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "work.store")
        labels = ("com.example.notedmenu", "NotedMenu")
        writer = StoreWriter(work, mac.entities(), "1.0.0", seed, mac.BEGIN, labels)
        run = writer.connection.execute
        run("BEGIN")
        writer.insert("LocalNotebook", rows.notebooks())
        writer.insert("LocalNote", rows.notes())
        writer.insert("LocalNoteImage", rows.images())
        writer.insert("SyncMetadata", rows.metadata())
        writer.save_keys()
        run("COMMIT")
        run("PRAGMA journal_mode = WAL")
        files.copy_while_open(work, path, seed)
        writer.connection.close()


if __name__ == "__main__":
    main()
