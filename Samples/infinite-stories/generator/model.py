"""Models: entities, attributes, relationships, and their columns; and the two models of the app."""

from collections import namedtuple

Attribute = namedtuple("Attribute", "name kind optional default")
Relation = namedtuple("Relation", "name destination inverse many optional rule")
Entity = namedtuple("Entity", "name attributes relations unique")

NULLIFY, CASCADE = 1, 2

# kind: (order of its columns in a table, SQL type)
COLUMN_KINDS = {
    "bool": (0, "INTEGER"),
    "int16": (0, "INTEGER"),
    "int32": (0, "INTEGER"),
    "int": (0, "INTEGER"),
    "number": (0, "INTEGER"),
    "relation": (1, "INTEGER"),
    "double": (2, "FLOAT"),
    "date": (2, "TIMESTAMP"),
    "string": (3, "VARCHAR"),
    "enum": (3, "VARCHAR"),
    "uuid": (4, "BLOB"),
    "strings": (5, "BLOB"),
    "data": (6, "BLOB"),
}


def attributes(text):
    """Reads `name kind`, `name kind?`, or `name kind=default` lines.

    An `enum` has a text as its raw value, a `number` a whole number.
    """
    found = []
    for line in text.split("\n"):
        words = line.split()
        if not words:
            continue
        kind, _, default = words[1].partition("=")
        found.append(Attribute(words[0], kind.rstrip("?"), kind.endswith("?"), default or None))
    return found


SYNC = """
serverId string?
serverSyncStatus enum=synced
lastSyncedAt date?
serverUpdatedAt date?
pendingChanges data?
syncError string?
"""

EVENT = """
id uuid
title string
eventDescription string
promptSeed string
category enum
ageRange enum
tone enum
keywords strings
iconName string
colorHex string
createdAt date
lastUsed date?
usageCount int
isAIEnhanced bool
isFavorite bool
pictogramPath string?
pictogramPrompt string?
pictogramGeneratedAt date?
pictogramStyle enum?
pictogramFailureCount int
lastPictogramError string?
"""

HERO = """
name string
primaryTrait enum
secondaryTrait enum
appearance string
specialAbility string
createdAt date
isActive bool
avatarImagePath string?
avatarPrompt string?
avatarGeneratedAt date?
avatarGenerationId string?
"""

PROFILE = """
id uuid
hairColor string?
hairStyle string?
eyeColor string?
skinTone string?
clothingStyle string?
clothingColors string?
distinctiveFeatures string?
bodyType string?
ageAppearance string?
artStyle string
colorPalette string?
lightingPreference string?
canonicalPrompt string
simplifiedPrompt string
createdAt date
lastUpdated date
extractionMethod string
"""

STORY = """
id uuid=new
title string
content string
builtInEvent enum?
createdAt date
audioFileName string?
isGenerated bool
isFavorite bool
playCount int
estimatedDuration double
audioNeedsRegeneration bool
lastModified date
"""

ILLUSTRATION = """
id uuid
timestamp double
imagePrompt string
imagePath string?
displayOrder int
isGenerated bool
createdAt date
textSegment string
lastError string?
errorType string?
retryCount int
failedAt date?
generationId string?
previousGenerationId string?
"""


def entities(later):
    """The entities of the legacy or the later model, in the order of their numbers."""
    sync = SYNC if later else ""
    unique = ["serverId"] if later else []
    hero_more = "id uuid=new\nbackendId string?" if later else ""
    story_more = "backendId string?\ncustomEventId string?" if later else ""
    return [
        Entity("CustomStoryEvent", attributes(EVENT + sync), [
            Relation("stories", "Story", "customEvent", True, True, NULLIFY)], unique),
        Entity("Hero", attributes(HERO + hero_more + sync), [
            Relation("stories", "Story", "hero", True, False, NULLIFY),
            Relation("visualProfile", "HeroVisualProfile", "hero", False, True, NULLIFY)], unique),
        Entity("HeroVisualProfile", attributes(PROFILE), [
            Relation("hero", "Hero", "visualProfile", False, True, NULLIFY)], []),
        Entity("Story", attributes(STORY + story_more + sync), [
            Relation("customEvent", "CustomStoryEvent", "stories", False, True, NULLIFY),
            Relation("hero", "Hero", "stories", False, True, NULLIFY),
            Relation("illustrations", "StoryIllustration", "story", True, False, CASCADE)], unique),
        Entity("StoryIllustration", attributes(ILLUSTRATION + sync), [
            Relation("story", "Story", "illustrations", False, True, NULLIFY)], unique),
    ]


def columns(entity):
    """The property names and SQL types of an entity's columns, in the table's order."""
    found = [(COLUMN_KINDS[item.kind], item.name) for item in entity.attributes]
    found += [(COLUMN_KINDS["relation"], item.name) for item in entity.relations if not item.many]
    found.sort(key=lambda item: (item[0][0], item[1]))
    return [(name, kind[1]) for kind, name in found]
