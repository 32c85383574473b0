"""The Core Data model of the app, with its sync fields."""

from generator.model import CASCADE, NULLIFY, Entity, Relation, attributes

SYNC = """
syncStatus int16
locallyModifiedAt date?
serverVersion int?
"""

PERSON = """
id uuid
email string
createdAt date
updatedAt date
"""

NOTEBOOK = """
id uuid
title string
sortOrder int32
createdAt date
updatedAt date
deletedAt date?
"""

NOTE = """
id uuid
notebookId uuid
content data
plainText string
isTodo bool
isDone bool
isStarred bool
reminderAt date?
version int32
createdAt date
updatedAt date
deletedAt date?
"""

TAG = """
id uuid
name string
color string?
"""


def entities():
    """The model, entity by entity."""
    def to_many(name, other, back, rule=CASCADE):
        return Relation(name, other, back, True, True, rule)

    def to_one(name, other, back):
        return Relation(name, other, back, False, True, NULLIFY)

    return [
        Entity("NoteEntity", attributes(NOTE + SYNC), [
            to_one("notebook", "NotebookEntity", "notes"),
            to_many("tags", "NoteTagEntity", "note", NULLIFY)], []),
        Entity("NoteTagEntity", [], [
            to_one("note", "NoteEntity", "tags"), to_one("tag", "TagEntity", "noteTags")], []),
        Entity("NotebookEntity", attributes(NOTEBOOK + SYNC), [
            to_many("notes", "NoteEntity", "notebook"), to_one("user", "UserEntity", "notebooks")], []),
        Entity("TagEntity", attributes(TAG + SYNC), [
            to_many("noteTags", "NoteTagEntity", "tag"), to_one("user", "UserEntity", "tags")], []),
        Entity("UserEntity", attributes(PERSON), [
            to_many("notebooks", "NotebookEntity", "user"), to_many("tags", "TagEntity", "user")], []),
    ]
