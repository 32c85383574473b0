#!/usr/bin/env python3
"""Makes the synthetic Core Data store of the app Noted beside this script.

    make-store.py                             Noted.sqlite, in this folder
    make-store.py --folder DIR [--notes 200]  in another folder, of another size
    make-store.py --folder DIR --seed other   other identities: the store of a second device
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
from made import model  # noqa: E402
from made.rows import BEGIN, Rows  # noqa: E402


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=HERE, metavar="DIR")
    parser.add_argument("--notes", type=int, default=60, metavar="N")
    parser.add_argument("--seed", default="noted")
    options = parser.parse_args()
    write(os.path.join(options.folder, "Noted.sqlite"), Rows(options.seed, options.notes), options.seed)


def write(path, rows, seed):
    """Writes the store; its last note, and the title of a notebook, lie only in its write-ahead log."""
    files.remove(path)
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "work.sqlite")
        labels = ("com.example.noted", "Noted")
        writer = StoreWriter(
            work, model.entities(), "", seed, BEGIN, labels, configuration="PF_DEFAULT_CONFIGURATION_NAME")
        run = writer.connection.execute
        run("BEGIN")
        writer.insert("UserEntity", rows.person())
        writer.insert("NotebookEntity", rows.notebooks())
        writer.insert("TagEntity", rows.tags())
        writer.insert("NoteEntity", rows.notes())
        writer.insert("NoteTagEntity", rows.note_tags())
        writer.save_keys()
        run("COMMIT")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA wal_autocheckpoint = 0")
        run("BEGIN")
        writer.insert("NoteEntity", [rows.late_note()])
        writer.update("NotebookEntity", 3, {"title": "Recipes and drinks"})
        writer.save_keys()
        run("COMMIT")
        files.copy_while_open(work, path, seed)
        writer.connection.close()


if __name__ == "__main__":
    main()
