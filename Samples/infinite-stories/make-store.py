#!/usr/bin/env python3
"""Makes synthetic SwiftData stores of the app InfiniteStories.

    make-store.py --legacy OUT.store [--container DIR]   the model before any server existed
    make-store.py --later OUT.store [--container DIR]    the model with sync fields
    make-store.py --legacy OUT.store --scale 100000      half heroes, half stories, no media
    make-store.py --sample                               the files kept beside this script

The rows asked for with --wal-stories and --wal-heroes, one changed row of each kind, and one deletion lie only in
OUT.store-wal. There is no -shm file; SQLite makes it again.
"""

import argparse
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

from generator import container, content, files, model  # noqa: E402
from generator.database import StoreWriter  # noqa: E402

GHOST_KEY = 17


def main():
    options = _options()
    if options.sample:
        _sample(os.path.dirname(os.path.abspath(__file__)), options.seed)
        return
    later = options.later is not None
    counts = _counts(options, later)
    made = content.Content(
        counts, options.seed, later, media=not options.scale, sentences=2 if options.scale else 8)
    write_store(options.later or options.legacy, made)
    if options.container:
        container.write(made, options.container)


def write_store(path, made):
    """Writes a store and, when some rows are to lie only there, its write-ahead log."""
    files.remove(path)
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "work.store")
        entities = model.entities(made.later)
        version = "2.0.0" if made.later else "1.0.0"
        writer = StoreWriter(work, entities, version, made.seed, 770_428_800.0)
        run = writer.connection.execute
        run("BEGIN")
        late = _insert_first_rows(writer, made)
        writer.save_keys()
        run("COMMIT")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA wal_autocheckpoint = 0")
        if late:
            _write_late_rows(writer, made)
        files.copy_while_open(work, path, made.seed)
        writer.connection.close()


def _insert_first_rows(writer, made):
    counts = made.counts
    late = counts["wal_stories"] + counts["wal_heroes"] > 0
    stories = counts["stories"] - counts["wal_stories"]
    heroes = counts["heroes"] - counts["wal_heroes"]
    writer.insert("CustomStoryEvent", map(made.event, range(counts["events"])))
    writer.insert("HeroVisualProfile", map(made.profile, range(counts["profiles"])))
    writer.insert("Hero", map(made.hero, range(heroes)))
    writer.insert("Story", map(made.story, range(stories)))
    if late and stories > 16:
        _, saves, values = made.story(counts["stories"])
        # The log takes this row away, so no media file belongs to it.
        values.update({"title": "A story deleted in the log", "audioFileName": None})
        writer.insert("Story", [(GHOST_KEY, saves, values)])
    writer.insert("StoryIllustration", map(made.illustration, _illustrations(made, 0, stories)))
    return late


def _write_late_rows(writer, made):
    counts = made.counts
    stories = counts["stories"] - counts["wal_stories"]
    run = writer.connection.execute
    run("BEGIN")
    heroes = range(counts["heroes"] - counts["wal_heroes"], counts["heroes"])
    writer.insert("Hero", map(made.hero, heroes))
    writer.insert("Story", map(made.story, range(stories, counts["stories"])))
    writer.insert("StoryIllustration", map(made.illustration, _illustrations(made, stories, counts["stories"])))
    writer.save_keys()
    run("COMMIT")
    run("BEGIN")
    if stories > 16:
        writer.delete("Story", GHOST_KEY)
    if stories > 3:
        writer.update("Story", made.story_key(3), {"isFavorite": 1, "playCount": 99, "lastModified": 771_000_000.5})
    if heroes.start > 1:
        writer.update("Hero", made.hero_key(1), {"specialAbility": "Changed after the last checkpoint"})
    writer.save_keys()
    run("COMMIT")


def _illustrations(made, first, end):
    """The numbers of the illustrations whose story lies in a range."""
    for index in range(made.counts["illustrations"]):
        if first <= made.illustration_story(index)[0] < end:
            yield index


def _sample(folder, seed):
    documents = os.path.join(folder, "container", "Documents")
    if os.path.isdir(documents):
        shutil.rmtree(documents)
    legacy = content.Content(LEGACY_COUNTS, seed)
    write_store(os.path.join(folder, "default.store"), legacy)
    container.write(legacy, os.path.join(folder, "container"))
    write_store(os.path.join(folder, "later.store"), content.Content(LATER_COUNTS, seed, later=True))


LEGACY_COUNTS = {
    "heroes": 24, "stories": 150, "illustrations": 220, "events": 16, "profiles": 14, "wal_stories": 20,
    "wal_heroes": 1}
LATER_COUNTS = {
    "heroes": 10, "stories": 32, "illustrations": 24, "events": 7, "profiles": 4, "wal_stories": 3, "wal_heroes": 1}


def _counts(options, later):
    counts = dict(LATER_COUNTS if later else LEGACY_COUNTS)
    if options.scale:
        counts = dict.fromkeys(counts, 0)
        counts.update(heroes=options.scale // 2, stories=options.scale - options.scale // 2)
    given = {name: getattr(options, name) for name in counts}
    counts.update((name, value) for name, value in given.items() if value is not None)
    for name in ("heroes", "stories"):
        counts["wal_" + name] = min(counts["wal_" + name], counts[name])
    counts["profiles"] = min(counts["profiles"], counts["heroes"] - counts["wal_heroes"])
    return counts


def _options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--legacy", metavar="STORE")
    what.add_argument("--later", metavar="STORE")
    what.add_argument("--sample", action="store_true")
    parser.add_argument("--container", metavar="DIR", help="where to write Documents with the media files")
    parser.add_argument("--scale", type=int, metavar="ROWS")
    parser.add_argument("--seed", default="infinite-stories")
    for name in LEGACY_COUNTS:
        parser.add_argument("--" + name.replace("_", "-"), type=int, metavar="N", dest=name)
    return parser.parse_args()


if __name__ == "__main__":
    main()
