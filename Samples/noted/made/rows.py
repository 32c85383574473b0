"""The rows of the store: every state of sync, and texts that are hard to keep."""

import json

from generator.rng import Rng, uuid_text

SYNCED, PENDING, CONFLICT = range(3)
# Seconds since 2001-01-01: 2026-01-05T08:00:00Z.
BEGIN = 789_292_800.0
DAY = 86_400.0


class Rows:
    """Everything the store holds, from a seed."""

    def __init__(self, seed, notes=60, email="demo@example.com"):
        self._seed, self._notes, self._email = seed, notes, email

    def identifier(self, kind, number):
        """The 16 bytes of a row's identity."""
        return Rng(self._seed, kind, number).uuid()

    def person(self):
        """The one who is signed in."""
        yield 1, 1, {
            "id": self.identifier("person", 1), "email": self._email, "createdAt": BEGIN - 400 * DAY,
            "updatedAt": BEGIN - 12.5}

    def notebooks(self):
        """Eight notebooks; the seventh was removed and the server does not know, the eighth was never there."""
        titles = ["Home", "Work", "Recipes", "Ideas 💡", "Reise nach Süden", "", "Old", "Never sent, removed"]
        states = [(SYNCED, 3), (SYNCED, 1), (PENDING, 2), (PENDING, 0), (CONFLICT, 4), (PENDING, None),
                  (PENDING, 2), (PENDING, 0)]
        for number, (title, (state, version)) in enumerate(zip(titles, states), 1):
            yield number, 1 + number % 3, {
                "id": self.identifier("notebook", number), "title": title, "sortOrder": number - 1,
                "createdAt": BEGIN - (90 - number) * DAY, "updatedAt": BEGIN - number * DAY / 3,
                "deletedAt": BEGIN - 3600.0 if number >= 7 else None, "user": 1, "syncStatus": state,
                "locallyModifiedAt": BEGIN - 1800.25 * number if state else None, "serverVersion": version}

    def notes(self):
        """Notes of every state. Of each ten: six synced or unsent, one changed, one in conflict, two removed."""
        return map(self._note, range(1, self._notes + 1))

    def _note(self, number):
        # The client never writes the server's version down: most are 0, and look new.
        place = number % 10
        state = {7: PENDING, 8: CONFLICT}.get(place, PENDING if number % 4 == 0 else SYNCED)
        version = {1: 2, 7: 3, 8: 2, 9: 1}.get(place, None if place == 5 else 0)
        removed = place == 9 or place == 0
        text = TEXTS[number % len(TEXTS)]
        # The app knows the notebook by its identity, and never sets the relationship.
        notebook = 1 + number % 6
        changed = BEGIN - (self._notes - number) * 4321.125
        return number, 1 + number % 4, {
            "id": self.identifier("note", number), "notebookId": self.identifier("notebook", notebook),
            "notebook": None, "plainText": text, "content": _content(text), "isTodo": int(number % 3 == 0),
            "isDone": int(number % 6 == 0), "isStarred": int(number % 5 == 0),
            "reminderAt": BEGIN + number * 3600.0 if number % 9 == 0 else None, "version": 1 + (version or 0),
            "createdAt": changed - 7 * DAY, "updatedAt": changed, "deletedAt": changed + 60.0 if removed else None,
            "syncStatus": PENDING if removed else state,
            "locallyModifiedAt": changed if state or removed else None, "serverVersion": version}

    def tags(self):
        """Six tags."""
        names = ["urgent", "shopping", "später", "ideas/raw", "🏠", "1:1"]
        colors = ["#FF3B30", "#34C759", None, "teal", "", "#0A84FF"]
        for number, (name, color) in enumerate(zip(names, colors), 1):
            yield number, 1, {
                "id": self.identifier("tag", number), "name": name, "color": color, "user": 1,
                "syncStatus": PENDING if number > 3 else SYNCED,
                "locallyModifiedAt": BEGIN - number if number > 3 else None,
                "serverVersion": 1 if number < 3 else 0}

    def note_tags(self):
        """Which note has which tag; a note that is gone left one row without a note."""
        number = 0
        for note in range(1, self._notes + 1):
            for tag in sorted({1 + note % 6, 1 + note * 5 % 6}) if note % 2 else []:
                number += 1
                yield number, 1, {"note": note, "tag": tag}
        yield number + 1, 2, {"note": None, "tag": 2}

    def late_note(self):
        """A note made last, which lies only in the write-ahead log."""
        key, saves, values = self._note(self._notes + 1)
        values.update(plainText="Written just before the crash", deletedAt=None, syncStatus=PENDING,
                      content=_content("Written just before the crash"), locallyModifiedAt=values["updatedAt"])
        return key, saves, values

    @property
    def first_note(self):
        """The identity of the first note, as text."""
        return uuid_text(self.identifier("note", 1))


def _content(text):
    return json.dumps({"type": "text", "content": text}, ensure_ascii=False).encode("utf-8")


TEXTS = [
    "Buy oats, milk and a lamp",
    "Call the plumber\n- kitchen\n- bathroom (again)",
    "",
    "Zürich → Nice: 08:04, change in Genève",
    "Two spaces at the end  ",
    "Quotes “curly” and \"straight\", a back\\slash, a tab\t.",
    "👩🏽‍🍳 needs 3 eggs; e\u0301 and é are not the same bytes",
    "https://example.com/?q=a%20b&c=d#e",
    "רשימת קניות: חלב, לחם",
    "# Heading\n\n* one\n* two\n\n> said nobody",
    "A line\u2028separator",
]
