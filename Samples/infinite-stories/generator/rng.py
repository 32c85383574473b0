"""A small random source whose numbers are the same in every Python version."""

import hashlib

_MASK = (1 << 64) - 1


class Rng:
    """SplitMix64, seeded by any number of labels."""

    def __init__(self, *labels):
        text = "/".join(str(label) for label in labels)
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        self._state = int.from_bytes(digest[:8], "big")

    def word(self):
        """The next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        value = self._state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
        return value ^ (value >> 31)

    def below(self, limit):
        """A whole number from 0 up to, not including, the limit."""
        return self.word() % limit

    def pick(self, choices):
        """One of the choices."""
        return choices[self.below(len(choices))]

    def uuid(self):
        """The 16 bytes of a version 4 UUID."""
        data = bytearray(self.word().to_bytes(8, "big") + self.word().to_bytes(8, "big"))
        data[6] = (data[6] & 0x0F) | 0x40
        data[8] = (data[8] & 0x3F) | 0x80
        return bytes(data)

    def code(self, length):
        """Lower-case letters and digits."""
        alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
        return "".join(self.pick(alphabet) for _ in range(length))


def uuid_text(data):
    """The upper-case text of 16 bytes."""
    digits = data.hex().upper()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
