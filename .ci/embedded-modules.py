#!/usr/bin/env python3
"""Says what an app gets that embeds FerryKit without the trait PCRE2, and refuses what no phone has.

    swift package dump-package | .ci/embedded-modules.py

Prints the modules of FerryKit, the packages and the system libraries they need. The status is 1 if a module
starts or loads a program, or reads /proc, or if a system library is not one of those of an iPhone.
"""
import json
import pathlib
import re
import sys

# https://developer.apple.com/documentation/xcode: the SDK of iOS has libsqlite3, libxml2 and libz.
LIBRARIES = {"libxml-2.0", "sqlite3", "zlib"}
PRODUCTS = {
    "AsyncHTTPClient", "Crypto", "CryptoExtras", "GRDB", "NIOCore", "NIOHTTP1", "NIOPosix", "Yams",
}
# What a program can have, and an app on a phone cannot.
FORBIDDEN = [
    (r"import\s+(Subprocess|CPCRE2|CPostgreSQL)\b", "imports {0}"),
    (r"(?<![\w.])Process\s*\(\s*\)", "starts a process"),
    (r"\b(posix_spawnp?|v?fork|exec[lv][ep]*|popen|system|wait(?:pid|3|4))\s*\(", "calls {0}"),
    (r"\b(dlopen|dlsym)\s*\(", "calls {0}"),
    (r"\"/proc\b", "reads /proc"),
    # Foundation has these on Linux and macOS alone.
    (r"\b(homeDirectoryForCurrentUser|XMLDocument|XMLElement|XMLNode|FoundationXML)\b", "uses {0}"),
]
TRAITS = set()


def package():
    return json.load(sys.stdin)


def is_used(condition):
    """Whether a dependency is there without any trait."""
    traits = (condition or {}).get("traits")
    return not traits or bool(TRAITS & set(traits))


def dependencies(target):
    """The names of the targets and of the products that a target needs."""
    for dependency in target["dependencies"]:
        for kind, words in dependency.items():
            conditions = [word for word in words if isinstance(word, dict)]
            if all(is_used(condition) for condition in conditions):
                yield kind, words[0]


def closure(targets, first):
    """All that a target needs: names of targets, names of products."""
    found, products, waiting = {}, set(), [first]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = targets[name]
        for kind, needed in dependencies(targets[name]):
            if kind != "product" and needed in targets:
                waiting.append(needed)
            else:
                products.add(needed)
    return found, products


def active_lines(text):
    """The numbered lines that are compiled on a phone: without those that ask for PCRE2 or Linux."""
    open_conditions = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("//")[0].strip()
        if re.match(r"#if\b", words):
            open_conditions.append(not re.search(r"^#if\s+(PCRE2|os\(Linux\))$", words))
        elif re.match(r"#else\b", words) and open_conditions:
            open_conditions[-1] = True
        elif re.match(r"#endif\b", words) and open_conditions:
            open_conditions.pop()
        elif all(open_conditions):
            yield number, re.sub(r"^\s*(\*|/\*).*", "", words)


def folder(target):
    return pathlib.Path(target.get("path") or f"Sources/{target['name']}")


def faults(target):
    """What in the sources of a target no phone has."""
    for path in sorted(folder(target).rglob("*")):
        if path.suffix not in (".swift", ".c", ".h", ".modulemap"):
            continue
        for number, line in active_lines(path.read_text()):
            for pattern, words in FORBIDDEN:
                if match := re.search(pattern, line):
                    yield f"{path}:{number}: {words.format(*match.groups())}"


def system_libraries(found):
    """The system libraries by the names that pkg-config knows, each with the modules that need it."""
    libraries = {}
    for name, target in found.items():
        if library := target.get("pkgConfig"):
            libraries.setdefault(library, []).append(name)
        for setting in target.get("settings", []):
            for kind, value in setting.get("kind", {}).items():
                if kind == "linkedLibrary":
                    libraries.setdefault(value["_0"], []).append(name)
    return libraries


def main():
    targets = {target["name"]: target for target in package()["targets"]}
    found, products = closure(targets, "FerryKit")
    libraries = system_libraries(found)
    wrong = [fault for target in found.values() for fault in faults(target)]
    wrong += [f"FerryKit needs the system library {name}" for name in libraries.keys() - LIBRARIES]
    wrong += [f"FerryKit needs the product {name}" for name in products - PRODUCTS]
    print(f"FerryKit without PCRE2 is {len(found)} modules: {' '.join(sorted(found))}")
    print(f"products of other packages: {' '.join(sorted(products))}")
    for library, modules in sorted(libraries.items()):
        print(f"system library {library}: {' '.join(sorted(modules))}")
    for fault in sorted(wrong):
        print(fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
