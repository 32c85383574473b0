"""Who and what both stores speak of: people, bottles, tastings, and the moments of all of it."""

import datetime

UTC = datetime.timezone.utc
# When the device was last used. Nothing here depends on the clock of the machine.
NOW = datetime.datetime(2026, 2, 14, 9, 30, 0, tzinfo=UTC)

# The person who is signed in on the device.
SELF = 1041

# id, user name, name on show, picture
USERS = [
    (1041, "morag.made.up", "Mòrag Example", None),
    (1007, "angus_sample", "Angus Sample", "https://pictures.example/angus.png"),
    (1012, "dr.dram", "Dr. Dram 🥃", None),
    (1023, "islay-always", "Islay “Always” Åström", "https://pictures.example/islay.webp"),
    (1055, "new.to.this", None, None),
    (1060, "blocked.one", "Somebody blocked", None),
]

# id, name, brand, distillery, category, age, strength, single cask, wished for, had
BOTTLES = [
    (501, "Harbour Smoke 10", "Harbour", "Harbour", "single_malt", 10, 46.0, False, False, True),
    (502, "Harbour Smoke Cask Strength", "Harbour", "Harbour", "single_malt", None, 58.7, False, True, False),
    (503, "Glen Nowhere 12", "Glen Nowhere", "Glen Nowhere", "single_malt", 12, 43.0, False, False, True),
    (504, "Glen Nowhere 12 “Años”", "Glen Nowhere", "Glen Nowhere", "single_malt", 12, 43.0, True, True, True),
    (505, "Prairie Rye", "Prairie", None, "rye", 4, 50.0, False, False, True),
    (506, "Two Rivers Blend", "Two Rivers", None, "blend", None, None, False, False, False),
    (507, "白樺 Single Malt", "白樺", "白樺蒸溜所", "single_malt", None, 45.0, False, False, True),
    (508, "Bourbon Made Up", "Made Up", "Made Up", "bourbon", 6, 47.5, True, False, False),
    (509, "Unpeated Oddity", "Oddity", None, None, None, None, False, False, False),
]

FLAVOURS = ["peat", "smoke", "honey", "vanilla", "dried fruit", "sea salt", "orange peel", "leather"]
STYLES = ["neat", "rocks", "splash", None]

NOTES = [
    "Smoke first, honey after.",
    "",
    "Better than the last time.\nWater helps: two drops.",
    "Früchte, Salz und Rauch – sehr gut 👍🏽",
    "Comma, \"quote\", back\\slash and a tab\there",
    "Tasted blind; guessed wrong.",
    None,
    "طعم مدخّن",
]


class Tasting:
    """One tasting, in the terms of neither store."""

    def __init__(self, number, bottle, user, days_ago, rating, sync, local=None):
        self.number, self.bottle, self.user = number, bottle, user
        self.rating, self.sync, self.local = rating, sync, local
        self.notes = NOTES[number % len(NOTES)]
        self.style = STYLES[number % len(STYLES)]
        self.tags = [FLAVOURS[(number + step) % len(FLAVOURS)] for step in range(number % 4)]
        self.created = NOW - datetime.timedelta(days=days_ago, seconds=number * 37 % 86_400)
        self.updated = self.created + datetime.timedelta(hours=number % 3)

    @property
    def key(self):
        """The identity as text: the server's number, or the app's own where none was given yet."""
        return self.local or str(self.number)


def local_id(number):
    """An identity that the app made up because the server had not answered yet."""
    return "5E0A7C3D-0000-4000-8000-%012d" % number


def tastings():
    """Every tasting of the store: own ones sent, own ones waiting, and other people's."""
    own = [
        Tasting(90_001 + index, BOTTLES[index % 7][0], SELF, 3 + index * 5, rating, "synced")
        for index, rating in enumerate([4.5, 3.0, 2.0, 5.0, None, 0.5, 2.5, 4.0, 3.5, 1.0, 4.25, 3.0])
    ]
    own[2].sync = "pending"     # changed since, with a mutation that says so
    own[5].sync = "pending"     # removed by the person, and not yet at the server
    waiting = [
        Tasting(1 + index, BOTTLES[index % 6][0], SELF, 1 + index, rating, "pending", local_id(1 + index))
        for index, rating in enumerate([4.5, 2.0, 3.0, 4.0, 1.5])
    ]
    waiting[4].sync = "failed"  # its mutation was tried as often as it may be
    # Cached from the feed. The last ones are older than 30 days and stay because of their bottles.
    others = [
        Tasting(80_001 + index, BOTTLES[(index * 2) % 9][0], USERS[1 + index % 4][0], days, rating, "synced")
        for index, (days, rating) in enumerate(
            [(0, 4.0), (1, 3.5), (2, None), (4, 2.0), (9, 5.0), (21, 4.5), (28, 1.0), (64, 3.0), (190, 4.0)])
    ]
    return own + waiting + others


# identity, tasting's key, user, text, days ago, state
def comments():
    """Comments of the person and of others, sent and waiting."""
    return [
        ("70001", "80001", SELF, "Which glass was it?", 0, "synced"),
        ("70002", "80001", 1007, "The tall one 🙂", 0, "synced"),
        ("70003", "90001", 1012, "Agreed.", 2, "synced"),
        ("70004", "90001", SELF, "We should compare notes", 2, "synced"),
        ("70005", "90004", 1023, "A five!\nReally?", 12, "synced"),
        ("70006", "80004", SELF, "To be removed", 3, "pending"),
        # On a tasting that the server does not know yet.
        (local_id(201), local_id(1), SELF, "Forgot to say: from a sample", 1, "pending"),
        (local_id(202), "80002", SELF, "Sláinte", 0, "pending"),
    ]


# identity, tasting's key, user, days ago, state
def toasts():
    """Toasts of the person and of others."""
    return [
        ("60001", "80001", SELF, 0, "synced"),
        ("60002", "80005", SELF, 8, "pending"),
        ("60003", "90001", 1007, 2, "synced"),
        ("60004", "90001", 1012, 2, "synced"),
        ("60005", "90002", 1055, 6, "synced"),
        (local_id(301), "80003", SELF, 1, "pending"),
    ]
