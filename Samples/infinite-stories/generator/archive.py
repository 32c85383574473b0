"""Writes NSKeyedArchiver property lists."""

import plistlib

NULL = plistlib.UID(0)


class Archive:
    """Collects the objects of one archive; equal strings and classes are written once."""

    def __init__(self):
        self._objects = ["$null"]
        self._shared = {}

    def reserve(self):
        """A place for an object that is filled later, so that cycles can be written."""
        self._objects.append(None)
        return plistlib.UID(len(self._objects) - 1)

    def fill(self, place, class_names, fields):
        """Puts an object of a class into a reserved place."""
        self._objects[place.data] = dict(fields, **{"$class": self.class_record(class_names)})
        return place

    def object(self, class_names, **fields):
        """Adds an object of a class."""
        return self.fill(self.reserve(), class_names, fields)

    def value(self, value):
        """Adds a string, number, or boolean that stands in the list by itself."""
        return self._once((type(value), value), value)

    def class_record(self, names):
        """Adds the record that names a class and its ancestors."""
        return self._once(names, {"$classname": names[0], "$classes": list(names)})

    def array(self, items, class_names=("NSArray", "NSObject")):
        """Adds an array of objects that were added before."""
        return self.object(class_names, **{"NS.objects": list(items)})

    def dictionary(self, pairs, mutable=True):
        """Adds a dictionary of objects that were added before."""
        names = ("NSMutableDictionary",) if mutable else ()
        pairs = list(pairs)
        return self.object(
            names + ("NSDictionary", "NSObject"),
            **{"NS.keys": [key for key, _ in pairs], "NS.objects": [item for _, item in pairs]}
        )

    def data(self, root):
        """The finished binary property list."""
        return plistlib.dumps(
            {
                "$version": 100000,
                "$archiver": "NSKeyedArchiver",
                "$top": {"root": root},
                "$objects": self._objects,
            },
            fmt=plistlib.FMT_BINARY,
        )

    def _once(self, key, value):
        if key not in self._shared:
            self._objects.append(value)
            self._shared[key] = plistlib.UID(len(self._objects) - 1)
        return self._shared[key]


def archived_strings(texts):
    """An archived array of strings, as `NSSecureUnarchiveFromData` expects it."""
    archive = Archive()
    root = archive.reserve()
    items = [archive.value(text) for text in texts]
    archive.fill(root, ("NSArray", "NSObject"), {"NS.objects": items})
    return archive.data(root)
