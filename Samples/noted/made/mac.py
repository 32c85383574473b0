"""The SwiftData model of the Mac's app, and rows of it."""

import json

from generator.model import Entity, attributes
from generator.rng import Rng, uuid_text

SYNCED, TO_CREATE, TO_UPDATE, TO_DELETE, CONFLICT = range(5)
# Seconds since 2001-01-01: 2026-03-02T08:00:00Z.
BEGIN = 794_131_200.0

NOTE = """
id uuid
notebookId uuid
plainText string
contentJSON string
version int
createdAt date
updatedAt date
deletedAt date?
isStarred bool
linkPreviewsJSON string?
syncStatusRaw int
serverVersion int
conflictJSON string?
"""

IMAGE = """
id uuid
noteId uuid
filename string
mimeType string
storageKey string
size int
createdAt date
url string?
localPath string?
syncStatusRaw int
keepFullSize bool
"""

NOTEBOOK = """
id uuid
title string
createdAt date
updatedAt date
deletedAt date?
sortOrder int
syncStatusRaw int
serverVersion int
"""

METADATA = """
key string
lastSyncTime date?
isSyncing bool
lastError string?
pendingCount int
"""


def entities():
    """The model, entity by entity."""
    return [
        Entity("LocalNote", attributes(NOTE), [], ["id"]),
        Entity("LocalNoteImage", attributes(IMAGE), [], ["id"]),
        Entity("LocalNotebook", attributes(NOTEBOOK), [], ["id"]),
        Entity("SyncMetadata", attributes(METADATA), [], ["key"]),
    ]


class Rows:
    """Everything the store holds, from a seed."""

    def __init__(self, seed):
        self._seed = seed

    def identifier(self, kind, number):
        """The 16 bytes of a row's identity."""
        return Rng(self._seed, kind, number).uuid()

    def notebooks(self):
        """Three notebooks, as the server told of them."""
        for number, title in enumerate(["Main", "Desk", "Lists 📝"], 1):
            made = BEGIN - (20 - number) * 86_400.0
            yield number, 1, {
                "id": self.identifier("notebook", number), "title": title, "createdAt": made,
                "updatedAt": made + 60.5, "deletedAt": None, "sortOrder": number - 1,
                "syncStatusRaw": SYNCED, "serverVersion": 1}

    def notes(self):
        """Ten notes: three that were never sent, one changed, one deleted, the others as the server had them."""
        states = [TO_CREATE, TO_CREATE, TO_UPDATE, TO_DELETE] + [SYNCED] * 5 + [TO_CREATE]
        for number, state in enumerate(states, 1):
            text = ["Ring the bank", "", "Größe 42 – “blue”", "- [ ] oats\n- [x] milk"][number % 4]
            made = BEGIN - (30 - number) * 3_600.25
            sent = 0 if state == TO_CREATE else 1 + number % 3
            yield number, 1, {
                "id": self.identifier("note", number), "notebookId": self.identifier("notebook", 1 + number % 3),
                "plainText": text, "contentJSON": _content(text), "version": max(sent, 1), "createdAt": made,
                "updatedAt": made + 9.125, "deletedAt": made + 30.0 if state == TO_DELETE else None,
                "isStarred": int(number % 4 == 0), "linkPreviewsJSON": "[]" if number == 5 else None,
                "syncStatusRaw": state, "serverVersion": sent, "conflictJSON": None}

    def images(self):
        """A picture that waits, with its file, and one that the server has and the app has thrown away."""
        for number, (state, key) in enumerate([(TO_CREATE, ""), (SYNCED, "images/2.jpg")], 1):
            yield number, 1, {
                "id": self.identifier("image", number), "noteId": self.identifier("note", number),
                "filename": "photo %d.jpg" % number, "mimeType": "image/jpeg", "storageKey": key,
                "size": len(PICTURE), "createdAt": BEGIN - number * 60.0, "url": None,
                "localPath": self.file(number), "syncStatusRaw": state, "keepFullSize": 0}

    def file(self, number):
        """The name of a picture's file."""
        return "%s.jpg" % uuid_text(self.identifier("file", number))

    def metadata(self):
        """When the app last met its server."""
        yield 1, 1, {"key": "default", "lastSyncTime": BEGIN, "isSyncing": 0, "lastError": None, "pendingCount": 6}


# No picture, but nobody looks into it.
PICTURE = b"\xff\xd8\xff\xe0 made up \xff\xd9"


def _content(text):
    # A document of the editor; an empty one has an empty paragraph.
    inner = [{"type": "text", "text": text}] if text else []
    document = {"type": "doc", "content": [{"type": "paragraph", "content": inner}]}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
