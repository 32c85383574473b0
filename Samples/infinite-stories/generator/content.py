"""The rows of a synthetic store, one function per entity. Row numbers start at 0."""

import unicodedata

from . import words
from .archive import archived_strings
from .rng import Rng, uuid_text

UNIX_TO_2001 = 978307200
FIRST_DAY = 747_000_000
IDENTICAL = (70, 71)
SAME_TITLE = (60, 61, 62)
LONG = (80, 81, 82)
EVICTED_AUDIO, REMOTE_AUDIO, WAV_AUDIO, CHANGED_TEXT = (8, 28), 16, 12, (20, 40)
EVICTED_PICTURES, JPEG_NAME = (11, 32, 52), 5
NO_AVATAR, MISSING_AVATAR, REMOTE_AVATAR = (5, 13, 21), 6, 7
ORPHAN_STORIES, ORPHAN_PICTURE = (22, 47, 95, 120), 77
REMOTE = "https://media.example.com/"


class Content:
    """Makes rows from counts and a seed; the same row is the same in stores of the same seed."""

    def __init__(self, counts, seed, later=False, media=True, sentences=8):
        self.counts, self.seed, self.later = counts, seed, later
        self.media, self.sentences = media, sentences

    def source(self, *labels):
        """The random source of one row."""
        return Rng(self.seed, *labels)

    # Primary keys have gaps, as after deletions.
    @staticmethod
    def hero_key(index):
        return index + 1 + (index >= 4)

    @staticmethod
    def story_key(index):
        return index + 1 + (index >= 16) + (index >= 90)

    @staticmethod
    def illustration_key(index):
        return index + 1 + 2 * (index >= 30)

    def hero_name(self, index):
        """The hero's name; the list repeats with numbers after it."""
        lap, place = divmod(index, len(words.HERO_NAMES))
        return words.HERO_NAMES[place] + (" %d" % (lap + 1) if lap else "")

    def hero(self, index):
        """A hero; number 0 and 3 share a name, since a name is no identity."""
        source = self.source("hero", index)
        created = self._moment(source, 20, whole=index % 9 == 4)
        name = self.hero_name(index)
        values = {
            "name": name, "primaryTrait": source.pick(words.TRAITS), "secondaryTrait": source.pick(words.TRAITS),
            "appearance": "" if index % 6 == 2 else "Wears %s and carries %s." % (
                source.pick(words.CLOTHES[:4]), source.pick(words.THINGS)),
            "specialAbility": "Can talk to %s" % source.pick(words.THINGS),
            "createdAt": created, "isActive": int(index % 7 != 3),
        }
        if index < self.counts["profiles"]:
            values["visualProfile"] = index + 1
        if self.media and index not in NO_AVATAR:
            values.update(self._avatar(source, index, name, created))
        if self.later:
            values["id"] = source.uuid()
            values.update(self.sync("hero", index, created))
            values["backendId"] = values["serverId"]
        return self.hero_key(index), 1 + source.below(4), values

    def _avatar(self, source, index, name, created):
        stamp = created + 61.25
        plain = unicodedata.normalize("NFC", name) == name and all(item.isalpha() or item == " " for item in name)
        file_name = "avatar_%s_%.6f.png" % (
            name.replace(" ", "_") if plain else "hero", stamp + UNIX_TO_2001)
        if index == REMOTE_AVATAR:
            file_name = REMOTE + "avatar/" + source.code(24) + ".png"
        return {
            "avatarImagePath": file_name, "avatarPrompt": "A friendly portrait of %s, soft light" % name,
            "avatarGeneratedAt": stamp, "avatarGenerationId": "ig_" + source.code(20),
        }

    def profile(self, index):
        """The visual profile of the hero with the same number."""
        source = self.source("profile", index)
        created = self._moment(source, 30, whole=index == 3)
        name = self.hero_name(index)
        values = {
            "id": source.uuid(), "hairColor": source.pick(words.HAIR), "hairStyle": source.pick(words.SHAPES),
            "eyeColor": source.pick(words.EYES), "clothingStyle": source.pick(words.CLOTHES),
            "distinctiveFeatures": source.pick(words.FEATURES), "artStyle": "warm storybook watercolour",
            "canonicalPrompt": "%s, full figure, gentle colours" % name, "simplifiedPrompt": "%s, simple" % name,
            "createdAt": created, "lastUpdated": created + source.below(900_000) / 8,
            "extractionMethod": ("manual", "ai_extracted", "hybrid")[index % 3],
            "hero": self.hero_key(index),
        }
        if index % 2:
            values.update({
                "skinTone": "warm", "clothingColors": "yellow, teal", "bodyType": "small",
                "ageAppearance": "about 6", "colorPalette": "pastel", "lightingPreference": "golden hour"})
        return index + 1, 1 + source.below(3), values

    def event(self, index):
        """A custom event; number 3 has no keywords."""
        source = self.source("event", index)
        created = self._moment(source, 40, whole=index == 6)
        kind = index % len(words.CATEGORIES)
        lap, place = divmod(index, len(words.EVENT_TITLES))
        title = words.EVENT_TITLES[place] + (" %d" % (lap + 1) if lap else "")
        keywords = [source.pick(words.KEYWORDS) for _ in range(2 + source.below(4))]
        used = source.below(9) if index % 4 else 0
        identifier = source.uuid()
        values = {
            "id": identifier, "title": title, "eventDescription": "A day about: " + title,
            "promptSeed": "the hero lives through “%s” and learns something small" % title,
            "category": words.CATEGORIES[kind], "ageRange": words.AGES[index % 4], "tone": words.TONES[index % 7],
            "keywords": archived_strings([] if index == 3 else keywords),
            "iconName": words.ICONS[kind], "colorHex": words.COLORS[kind], "createdAt": created,
            "lastUsed": created + 86_400.5 * used if used else None, "usageCount": used,
            "isAIEnhanced": index % 2, "isFavorite": int(index % 5 == 1), "pictogramFailureCount": 0,
        }
        if self.media and index < 10:
            values.update({
                "pictogramPath": "%s_%d.png" % (uuid_text(identifier), int(created) + UNIX_TO_2001),
                "pictogramPrompt": "A simple sign for " + title, "pictogramGeneratedAt": created + 12.75,
                "pictogramStyle": words.STYLES[index % 5]})
        elif index == 11:
            values.update({"pictogramFailureCount": 2, "lastPictogramError": "The service was busy."})
        if self.later:
            values.update(self.sync("event", index, created))
        return index + 1, 1 + source.below(5), values

    def story(self, index):
        """A story; some are orphans, some share a title, two differ by their id alone."""
        identifier = self.source("story id", index).uuid()
        shape = IDENTICAL[0] if index in IDENTICAL else index
        source = self.source("story", shape)
        created = self._moment(source, 60, whole=shape % 25 == 10)
        if shape == 33:
            created = -3600.25
        owner = self._owner(source, shape)
        name = self.hero_name(owner)
        values = {
            "id": identifier, "title": self.title(source, shape),
            "content": words.tale(source, name, 150 if shape in LONG else self.sentences + source.below(8)),
            "createdAt": created, "isGenerated": int(shape % 31 != 30), "isFavorite": int(source.below(4) == 0),
            "playCount": 4_294_967_296 if shape == 44 else source.below(12),
            "estimatedDuration": 0.1 + 0.2 if shape == 45 else source.below(60_000) / 100,
            "audioNeedsRegeneration": int(shape in CHANGED_TEXT), "lastModified": created,
            "hero": self.hero_key(owner) if self.counts["heroes"] and shape not in ORPHAN_STORIES else None,
        }
        if source.below(10) < 3 and self.counts["events"]:
            values["customEvent"] = 1 + source.below(self.counts["events"])
        elif shape != 55:
            values["builtInEvent"] = words.BUILT_IN_EVENTS[shape % 10]
        if self.media and shape % 4 == 0:
            values["audioFileName"] = self._audio(source, index, identifier)
            values["lastModified"] = created + source.below(4_000_000) / 16
        if self.later:
            self._later_story(index, values)
        return self.story_key(index), 1 + source.below(6), values

    def _owner(self, source, index):
        """A hero that exists when the story is saved; some late stories belong to the latest hero."""
        counts = self.counts
        late = counts["stories"] - counts["wal_stories"] <= index < counts["stories"]
        owner = source.below(max(1, counts["heroes"] - counts["wal_heroes"]))
        return counts["heroes"] - 1 if late and index % 3 == 0 and counts["wal_heroes"] else owner

    def _later_story(self, index, values):
        values.update(self.sync("story", index, values["createdAt"]))
        values["backendId"] = values["serverId"]
        if values.get("customEvent"):
            event = self.event(values["customEvent"] - 1)[2]
            values["customEventId"] = event["serverId"] or uuid_text(event["id"])

    def _audio(self, source, index, identifier):
        if index == REMOTE_AUDIO:
            return REMOTE + "audio/" + source.code(24) + ".mp3"
        return "story_%s.%s" % (uuid_text(identifier), "wav" if index == WAV_AUDIO else "mp3")

    def title(self, source, index):
        """The story's title; odd numbers at the beginning have the difficult ones."""
        place, even = divmod(index, 2)
        if even and place < len(words.TITLES):
            return words.TITLES[place]
        if index in SAME_TITLE:
            return "The Moon Garden"
        if index % 50 == 31:
            return "🌙 Moonlit %d: %s" % (index, source.pick(words.PLACES))
        return "%s and %s (%d)" % (source.pick(words.THINGS).capitalize(), source.pick(words.PLACES), index + 1)

    def illustration_story(self, index):
        """The number of the story that an illustration belongs to, and its place there."""
        group, place = divmod(index, 3)
        lap, story = divmod(2 * group, max(1, self.counts["stories"]))
        return story, place + 3 * lap

    def illustration(self, index):
        """An illustration: three of five are there, one is waiting, one has failed."""
        source = self.source("illustration", index)
        story, place = self.illustration_story(index)
        created = self._moment(source, 70, whole=index % 40 == 9)
        identifier = source.uuid()
        scene = words.sentence(source)
        values = {
            "id": identifier, "timestamp": place * 41.5 + source.below(300) / 10,
            "imagePrompt": "Watercolour scene: " + scene, "displayOrder": place, "isGenerated": int(index % 5 < 3),
            "createdAt": created, "textSegment": scene, "retryCount": 0,
            "story": None if index == ORPHAN_PICTURE else self.story_key(story),
        }
        if index % 5 < 3:
            values["generationId"] = "ig_" + source.code(20)
            values["previousGenerationId"] = "ig_" + source.code(20) if place else None
            values["imagePath"] = self._picture(index, story, identifier) if self.media else None
        elif index % 5 == 4:
            kind = words.ERRORS[index // 5 % 7]
            values.update({
                "lastError": "%s: the picture could not be made (“%s”)" % (kind, source.code(6)),
                "errorType": kind, "retryCount": 1 + source.below(3), "failedAt": created + 95.125})
        if self.later:
            values.update(self.sync("illustration", index, created))
        return self.illustration_key(index), 1 + source.below(3), values

    def _picture(self, index, story, identifier):
        if index == JPEG_NAME:
            return "%s_scene1_1735689600.jpg" % uuid_text(self.source("story id", story).uuid())
        return uuid_text(identifier) + ".png"

    def sync(self, kind, index, created):
        """The sync fields; number 4 looks synced without a server id, 5 has no status, 6 failed before it had an id."""
        status = words.STATUSES[index % 8]
        known = status != "pendingCreate" and index not in (4, 5, 6)
        values = {
            "serverSyncStatus": None if index == 5 else status,
            "serverId": "c" + self.source("server id", kind, index).code(24) if known else None,
            "lastSyncedAt": created + 4000.125 if known else None,
            "serverUpdatedAt": created + (9000.5 if status == "conflict" else 3999) if known else None,
        }
        if status == "pendingUpdate":
            values["pendingChanges"] = (
                '{"changedFields":{"%s":"%s"},"timestamp":%r}' % (
                    "name" if kind == "hero" else "title", "Changed – été", created + 4100)).encode("utf-8")
        if status == "failed":
            values["syncError"] = "The server answered 503."
        return values

    @staticmethod
    def _moment(source, days, whole):
        seconds = FIRST_DAY + days * 86_400 + source.below(20_000_000)
        return seconds if whole else seconds + (1 + source.below(999_999)) / 1_000_000
