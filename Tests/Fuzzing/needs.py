#!/usr/bin/env python3
"""Prints what the fuzzer of a reader is built from: `WORD: NAMES` a line, read from imports and from Package.swift.

    Tests/Fuzzing/needs.py TARGET

| Word | Names |
|---|---|
| `modules` | the modules of Ferry, each behind those that it imports |
| `embeds` | folders of modules whose files SwiftPM builds in |
| `packages` | packages that are compiled from their sources |
| `substitutes` | packages that a file of Tests/Fuzzing/substitutes replaces |
| `without` | files of modules that import any other package, and are left out |
| `libraries` | system libraries, by the names that pkg-config knows |
"""
import pathlib
import re
import sys

FOLDER = pathlib.Path("Tests/Fuzzing")
#: The packages that build.sh can compile.
COMPILED = {"GRDB", "Yams"}
SUBSTITUTES = {path.stem for path in (FOLDER / "substitutes").glob("*.swift")}
MANIFEST = pathlib.Path("Package.swift").read_text()
PACKAGES = set(re.findall(r'\.product\(\s*name: "(\w+)"', MANIFEST))
LIBRARIES = dict(re.findall(r'name: "(C\w+)",\s*pkgConfig: "([^"]+)"', MANIFEST))
LIBRARIES |= re.findall(r'name: "(C\w+)", linkerSettings: \[\.linkedLibrary\("(\w+)"\)\]', MANIFEST)
EMBEDDED = dict(
    re.findall(r'name: "(\w+)",(?:(?!name:)[\s\S])*?\.embedInCode\("(\w+)"\)', MANIFEST)
)
IMPORT = re.compile(
    r"^(?:(?:package|public|internal|private|@\w+) )*import "
    r"(?:(?:struct|class|enum|func|protocol|typealias|var|let) )?(\w+)",
    re.M,
)


def folder(module):
    """The folder of a module of Ferry; nothing for a module of a package or of the system."""
    for path in (pathlib.Path("Sources", module), *pathlib.Path("Sources").glob(f"*/{module}")):
        if path.is_dir():
            return path
    return pathlib.Path(module) if pathlib.Path(module).is_dir() else None


def imports(path):
    return set(IMPORT.findall(path.read_text()))


class Needs:
    def __init__(self):
        self.words = {word: [] for word in (
            "modules", "embeds", "packages", "substitutes", "without", "libraries",
        )}
        self.seen = set()

    def add(self, word, name):
        if name not in self.words[word]:
            self.words[word].append(name)

    def take(self, names):
        for name in sorted(names - self.seen):
            self.seen.add(name)
            place = folder(name)
            if name in COMPILED:
                self.add("packages", name)
            elif name in SUBSTITUTES:
                self.take(imports(FOLDER / f"substitutes/{name}.swift"))
                self.add("substitutes", name)
            elif place and place.parent.name == "Sources" and name.startswith("C") and not any(
                place.rglob("*.swift")
            ):
                if name in LIBRARIES:
                    self.add("libraries", LIBRARIES[name])
            elif place:
                self.take_module(name, place)

    def take_module(self, name, place):
        for path in sorted(place.rglob("*.swift")):
            used = imports(path)
            if used & PACKAGES - COMPILED - SUBSTITUTES:
                self.add("without", f"{name}/{path.relative_to(place)}")
            else:
                self.take(used)
        if name in EMBEDDED:
            self.add("embeds", f"{name}/{EMBEDDED[name]}")
        self.add("modules", name)


def main():
    source = FOLDER / f"targets/{sys.argv[1]}.swift"
    helpers = re.findall(r"^// helpers:(.*)", source.read_text(), re.M)
    roots = [source, FOLDER / "FuzzTarget.swift", FOLDER / "LibFuzzer.swift"]
    roots += [pathlib.Path(helper) for line in helpers for helper in line.split()]
    needs = Needs()
    needs.take(set().union(*map(imports, roots)))
    for word, names in needs.words.items():
        if names:
            print(f"{word}: {' '.join(names)}")


if __name__ == "__main__":
    main()
