"""Puts a finished store where it is kept, with bytes that do not depend on the machine."""

import os
import shutil

from . import wal


def copy_while_open(work, path, seed):
    """Copies a store and its write-ahead log, while the store is open and its log is full."""
    with open(work, "rb") as source, open(path, "wb") as target:
        # Only the first page holds bytes that depend on the machine.
        target.write(wal.steady_store(source.read(4096)))
        shutil.copyfileobj(source, target, 1 << 20)
    log = work + "-wal"
    if os.path.exists(log) and os.path.getsize(log):
        with open(log, "rb") as source, open(path + "-wal", "wb") as target:
            target.write(wal.steady_wal(source.read(), seed))


def remove(path):
    """Removes an older store, so that nothing of it is mistaken for the new one."""
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)
