"""What the person did while the server could not be reached: sixteen kinds of change."""

import datetime
import json

from . import people

LOW, NORMAL, HIGH, CRITICAL = range(4)


class Mutation:
    """One queued change: what, of which entity, and how often it was tried."""

    def __init__(self, number, kind, entity, payload, priority=NORMAL, hours=10.0, tries=0, error=None):
        self.identifier = "6D07A710-0000-4000-8000-%012d" % number
        self.kind, self.entity, self.priority = kind, entity, priority
        self.payload = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        self.created = people.NOW - datetime.timedelta(hours=hours)
        self.tries, self.error = tries, error
        self.attempted = self.created + datetime.timedelta(minutes=2 ** tries) if tries else None


def create_tasting(tasting, **more):
    """What the app asks of the server for a new tasting."""
    payload = {"bottleId": str(tasting.bottle), "rating": tasting.rating, "tags": tasting.tags}
    if tasting.notes is not None:
        payload["notes"] = tasting.notes
    if tasting.style:
        payload["servingStyle"] = tasting.style
    payload.update(more)
    return payload


def mutations(tastings):
    """The queue, oldest kinds of trouble included."""
    waiting = [item for item in tastings if item.local]
    place = {"name": "The Made-up Bar", "latitude": 55.75, "longitude": -6.25}
    local = people.local_id
    offline = "The Internet connection appears to be offline."
    return [
        Mutation(1, "createTasting", local(1), create_tasting(waiting[0], location=place), HIGH, 26),
        Mutation(2, "createTasting", local(2), create_tasting(waiting[1]), HIGH, 25),
        # Made, changed and taken away again before the server heard of it: the order counts, though
        # the deletion is more urgent than the rest.
        Mutation(3, "createTasting", local(3), create_tasting(waiting[2]), NORMAL, 24),
        Mutation(4, "updateTasting", local(3), {"rating": 3.5, "notes": "Changed my mind"}, LOW, 23),
        Mutation(5, "deleteTasting", local(3), {"tastingId": local(3)}, CRITICAL, 22),
        # Changed twice after it was made.
        Mutation(6, "createTasting", local(4), create_tasting(waiting[3], imageData="iVBORw0KGgo="), HIGH, 21),
        Mutation(7, "updateTasting", local(4), {"rating": 4.5}, CRITICAL, 20),
        Mutation(8, "updateTasting", local(4), {"notes": "Opened up after an hour"}, NORMAL, 19),
        # Tried as often as it may be; the app would never try it again.
        Mutation(9, "createTasting", local(5), create_tasting(waiting[4]), HIGH, 300, 3, offline),
        Mutation(10, "updateTasting", "90003", {"rating": 2.5, "tags": ["peat", "ash"]}, NORMAL, 18),
        Mutation(11, "deleteTasting", "90006", {"tastingId": "90006"}, NORMAL, 17),
        # On a tasting that has no identity of the server's yet.
        Mutation(12, "createComment", local(201),
                 {"tastingId": local(1), "comment": "Forgot to say: from a sample"}, NORMAL, 16),
        Mutation(13, "createComment", local(202), {"tastingId": "80002", "comment": "Sláinte"}, NORMAL, 15),
        Mutation(14, "deleteComment", "70006", {"commentId": "70006"}, NORMAL, 14),
        Mutation(15, "createToast", local(301), {"tastingId": "80003"}, LOW, 13),
        Mutation(16, "deleteToast", "60002", {"tastingId": "80005"}, LOW, 12),
        Mutation(17, "updateProfile", "1041", {"displayName": "Mòrag Example (she)"}, CRITICAL, 11, 1, offline),
        Mutation(18, "updateBottleRating", "503", {"bottleId": "503", "rating": 4.0}, LOW, 10),
        Mutation(19, "followUser", "1055", {"userId": "1055"}, LOW, 9),
        Mutation(20, "unfollowUser", "1012", {"userId": "1012"}, LOW, 8),
        Mutation(21, "blockUser", "1060", {"userId": "1060"}, HIGH, 7),
        Mutation(22, "createList", local(401), {"name": "For the winter ❄️", "description": None}, NORMAL, 6),
        Mutation(23, "addToList", local(401), {"listId": local(401), "bottleId": "501"}, NORMAL, 5),
        Mutation(24, "addToList", "40001", {"listId": "40001", "bottleId": "507"}, NORMAL, 4),
        Mutation(25, "removeFromList", "40001", {"listId": "40001", "bottleId": "505"}, NORMAL, 3),
        Mutation(26, "updateList", "40002", {"name": "Try again"}, NORMAL, 2, 2, "HTTP 503"),
    ]
