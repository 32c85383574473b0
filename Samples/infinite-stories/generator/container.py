"""Writes the media files that a store refers to."""

import os

from . import content, media
from .rng import uuid_text

FOLDERS = ("Avatars", "AudioStories", "StoryIllustrations", "EventPictograms")


def write(made, folder):
    """Writes `Documents` below the folder, without the files that are gone on purpose."""
    documents = os.path.join(folder, "Documents")
    for name in FOLDERS + ("EventPictograms/thumbnails",):
        os.makedirs(os.path.join(documents, name), exist_ok=True)
    for name, data in _files(made):
        with open(os.path.join(documents, name), "wb") as file:
            file.write(data)


def _files(made):
    for index in range(made.counts["heroes"]):
        path = made.hero(index)[2].get("avatarImagePath")
        if path and index not in (content.MISSING_AVATAR, content.REMOTE_AVATAR):
            # Heroes 2 and 3 share one picture, so that equal content is stored once.
            yield "Avatars/" + path, media.png("avatar", 2 if index == 3 else index)
    for index in range(made.counts["stories"]):
        values = made.story(index)[2]
        path = values.get("audioFileName")
        if path and index not in content.EVICTED_AUDIO + (content.REMOTE_AUDIO,):
            sound = media.wav() if path.endswith(".wav") else media.mp3(values["title"])
            yield "AudioStories/" + path, sound
    for index in range(made.counts["illustrations"]):
        path = made.illustration(index)[2].get("imagePath")
        if path and index not in content.EVICTED_PICTURES:
            yield "StoryIllustrations/" + path, media.png("illustration", index)
    for index in range(made.counts["events"]):
        values = made.event(index)[2]
        if values.get("pictogramPath"):
            yield "EventPictograms/" + values["pictogramPath"], media.png("pictogram", index)
        if index < 2:
            thumb = "EventPictograms/thumbnails/%s_thumb.png" % uuid_text(values["id"])
            yield thumb, media.png("thumbnail", index)
    yield "AudioStories/story_leftover.mp3", media.mp3("leftover")
