"""Makes databases of Couchbase Lite, as its authors describe the format.

    couchbase.py FOLDER LAYOUT

FOLDER is made, and its name ends in .cblite2. LAYOUT is 2, 3 or 1. The description is that of
github.com/couchbase/fleece (Fleece.md, SharedKeys.md) and of github.com/couchbase/couchbase-lite-core
(docs/overview/Schema.md). No file that Couchbase Lite wrote was used, and no code of it.
"""
import base64, hashlib, os, sqlite3, struct, sys

SHARED = ["name", "born", "tags", "address", "city", "photo", "digest", "length", "content_type", "stars"]


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


class Fleece:
    def __init__(self, shared=()):
        self.out = bytearray()
        self.shared = {name: place for place, name in enumerate(shared)}
        self.strings = {}

    def scalar(self, value):
        if value is None:
            return b"\x30\0"
        if value is False:
            return b"\x34\0"
        if value is True:
            return b"\x38\0"
        if isinstance(value, int):
            if -2048 <= value < 2048:
                return bytes([value >> 8 & 15, value & 255])
            if value >= 1 << 63:
                return b"\x1f" + struct.pack("<Q", value)
            size = next(n for n in range(1, 9) if -(1 << 8 * n - 1) <= value < 1 << 8 * n - 1)
            return bytes([0x10 | size - 1]) + value.to_bytes(size, "little", signed=True)
        if isinstance(value, float):
            if struct.unpack("<f", struct.pack("<f", value))[0] == value:
                return b"\x24\0" + struct.pack("<f", value)
            return b"\x28\0" + struct.pack("<d", value)
        if isinstance(value, str):
            return self.sized(0x40, value.encode())
        if isinstance(value, bytes):
            return self.sized(0x50, value)
        return b"\x60\0" if isinstance(value, list) else b"\x70\0"

    def sized(self, kind, content):
        if len(content) < 15:
            return bytes([kind | len(content)]) + content
        return bytes([kind | 15]) + varint(len(content)) + content

    def place(self, value, width):
        """Writes a value that does not fit into an item; gives its place, or None."""
        if isinstance(value, (list, dict)) and value:
            return self.collection(value)
        if isinstance(value, str) and value in self.strings:
            return self.strings[value]
        data = self.scalar(value)
        if len(data) <= width:
            return None
        start = len(self.out)
        if isinstance(value, str):
            self.strings[value] = start
        self.out += data + b"\0" * (len(data) % 2)
        return start

    def collection(self, value):
        # Everything before may lie too far away for a pointer of two bytes.
        width = 4 if len(self.out) > 20_000 or len(repr(value)) > 20_000 else 2
        flat = value
        if isinstance(value, dict):
            keys = {self.shared.get(name, name): name for name in value}
            ordered = sorted(keys, key=lambda k: (isinstance(k, str), k))
            flat = [part for key in ordered for part in (key, value[keys[key]])]
        places = [self.place(item, width) for item in flat]
        start = len(self.out)
        count = len(value)
        shown = min(count, 2047)
        kind = 0x70 if isinstance(value, dict) else 0x60
        self.out += bytes([kind | (8 if width == 4 else 0) | shown >> 8, shown & 255])
        if count >= 2047:
            more = varint(count - 2047)
            self.out += more + b"\0" * (len(more) % 2)
        for item, place in zip(flat, places):
            if place is None:
                self.out += self.scalar(item).ljust(width, b"\0")
            else:
                self.out += self.pointer(len(self.out) - place, width)
        return start

    def pointer(self, distance, width):
        offset = distance // 2
        if width == 4:
            return struct.pack(">I", offset | 1 << 31)
        assert offset < 0x4000
        return struct.pack(">H", offset | 1 << 15)

    def finish(self, value):
        place = self.place(value, 2)
        if place is None:
            return bytes(self.out) + self.scalar(value)
        distance = len(self.out) - place
        if distance // 2 >= 0x4000:
            self.out += self.pointer(distance, 4) + self.pointer(4, 2)
        else:
            self.out += self.pointer(distance, 2)
        return bytes(self.out)


def tree(*bodies):
    """Revisions of release 2, the current one first."""
    out = b""
    for place, body in enumerate(bodies):
        name = bytes([len(bodies) - place, 0xAB, 0xCD])
        parent = place + 1 if place + 1 < len(bodies) else 0xFFFF
        rest = struct.pack(">HBB", parent, 0x82 if body is not None else 2, len(name)) + name + varint(place + 1)
        rest += body or b""
        out += struct.pack(">I", len(rest) + 4) + rest
    return out + b"\0\0\0\0"


def blob(folder, content, kind, kept=True):
    digest = base64.b64encode(hashlib.sha1(content).digest()).decode()
    if kept:
        with open(os.path.join(folder, "Attachments", digest.replace("/", "_") + ".blob"), "wb") as file:
            file.write(content)
    return {"@type": "blob", "digest": "sha1-" + digest, "length": len(content), "content_type": kind}


def people(folder):
    return [
        ("person-1", {"name": "Ada", "born": "1815-12-10T00:00:00Z", "stars": 4.5, "tags": ["a", 2, None, True],
                      "address": {"city": "London", "floors": [-5, 300, 70_000, 1 << 40, -(1 << 62)]},
                      "photo": blob(folder, b"\xff\xd8\xff\xe0 a picture of Ada", "image/jpeg")}),
        ("person-2", {"name": "Grace", "stars": 3, "note": "x" * 40_000, "tags": list(range(3_000)),
                      "photo": blob(folder, b"a picture that is gone", "image/jpeg", kept=False)}),
        ("person-3", {"name": "Kurt", "large": 18_446_744_073_709_551_615, "raw": b"\0\1\2", "third": 1 / 3}),
    ]


def table(c, name, columns):
    c.execute('CREATE TABLE "%s" (key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, %s)' % (name, columns))


def insert(c, name, rows):
    for number, (key, flags, body) in enumerate(rows):
        c.execute('INSERT INTO "%s" (key, sequence, flags, version, body) VALUES (?, ?, ?, ?, ?)' % name,
                  (key, number + 1, flags, b"\1\xab\xcd", body))


def make(folder, layout):
    os.makedirs(os.path.join(folder, "Attachments"))
    c = sqlite3.connect(os.path.join(folder, "db.sqlite3"))
    if layout == "1":
        c.execute("CREATE TABLE docs (doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL)")
        c.execute("CREATE TABLE revs (sequence INTEGER PRIMARY KEY, doc_id INTEGER, revid TEXT, parent INTEGER, "
                  "current BOOLEAN, deleted BOOLEAN DEFAULT 0, json BLOB)")
        c.execute("CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT)")
        c.commit()
        return
    c.execute("CREATE TABLE kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0) WITHOUT ROWID")
    body = lambda value: Fleece(SHARED).finish(value)
    kept = [(key, body(value)) for key, value in people(folder)]
    if layout == "2":
        table(c, "kv_default", "version BLOB, body BLOB")
        table(c, "kv_info", "version BLOB, body BLOB")
        older = body({"name": "before"})
        insert(c, "kv_default", [(key, 0, tree(value, older)) for key, value in kept]
               + [("person-0", 1, tree(None, older))])
    else:
        columns = "version BLOB, body BLOB, expiration INTEGER, extra BLOB"
        for name in ["kv_default", "kv_del_default", "kv_.people", "kv_del_.people", "kv_.inventory.\\Chairs"]:
            table(c, name, columns)
        table(c, "kv_info", "version BLOB, body BLOB, extra BLOB")
        insert(c, "kv_.people", [(key, 0, value) for key, value in kept])
        insert(c, "kv_del_.people", [("person-0", 1, body({}))])
        insert(c, "kv_.inventory.\\Chairs", [("chair-1", 0x10000, body({"legs": 4})), ("chair-2", 0, body({}))])
    for key, value in [("SharedKeys", Fleece().finish(SHARED)),
                       ("publicUUID", bytes.fromhex("0123456789ab4cde8011223344556677"))]:
        c.execute("INSERT INTO kv_info (key, body) VALUES (?, ?)", (key, value))
    c.commit()


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2])
