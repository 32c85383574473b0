#!/usr/bin/env python3
"""Prints the figures of the project, one a line; .ci/measure.sh starts it.

Line counts are of all text files that git knows or would add: code, data, documentation. The functions and
the predicates are found by a scanner of Swift that skips comments, strings and regular expressions. gdb
counts how often a line is parsed, while the program migrates a sample to its development backend.
"""

import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECISION = ["Sources/Sync"] if (ROOT / "Sources/Sync").is_dir() else [
    "Sources/Migration", "Sources/UploadPlanning",
]


def say(figure, of, value, note=""):
    print(figure, of, value, note, sep="\t")


# Swift, without what is not code.

LITERAL = re.compile(
    r'//[^\n]*|/\*|(?P<several>#*)"""(?=[ \t]*\n)|(?P<one>#*)"|`[^`\n]*`|#+/'
    # A slash after an operator, a comma or an opening begins a regular expression.
    r"|(?:(?<=[(,=:\[!&|?{] )|(?<=[(\[!]))/(?![\s/*=])(?:[^/\\\n]|\\.)+/"
)
COMMENT = re.compile(r"/\*|\*/")
INTERPOLATED = re.compile(LITERAL.pattern + r"|[()]")


def past_string(text, at, several, hashes):
    """Where the string ends whose opening quotes end at `at`."""
    close = ('"""' if several else '"') + hashes
    pattern = re.compile(re.escape(close) + r"|\\" + hashes + r"(\(|.)", re.S)
    while found := pattern.search(text, at):
        at = found.end()
        if found.group() == close:
            return at
        if found.group(1) == "(":
            at = past_interpolation(text, at)
    raise ValueError("a string does not end")


def past_interpolation(text, at):
    depth = 1
    while found := INTERPOLATED.search(text, at):
        at = past_literal(text, found)
        depth += {"(": 1, ")": -1}.get(found.group(), 0)
        if depth == 0:
            return at
    raise ValueError("an interpolation does not end")


def past_literal(text, found):
    opening = found.group()
    if opening == "/*":
        depth, at = 1, found.end()
        while depth:
            mark = COMMENT.search(text, at)
            depth += 1 if mark.group() == "/*" else -1
            at = mark.end()
        return at
    if found.group("several") is not None:
        return past_string(text, found.end(), True, found.group("several"))
    if found.group("one") is not None:
        return past_string(text, found.end(), False, found.group("one"))
    if opening[0] == "#":
        return text.index("/" + opening[:-1], found.end()) + len(opening)
    return found.end()


def code(text):
    """The text with its comments and literals replaced by spaces, and raw identifiers by letters."""
    pieces, at = [], 0
    while found := LITERAL.search(text, at):
        end = past_literal(text, found)
        filling = "x" if found.group()[0] == "`" else " "
        pieces += text[at:found.start()], re.sub(r"[^\n]", filling, text[found.start():end])
        at = end
    return "".join(pieces) + text[at:]


# Functions and predicates.

TOKEN = re.compile(
    r"[{}()\[\]\n=]|(?<![\w.])(?:"
    r"func(?=\s+[^\s:])|init(?=[?!]?\s*[<(])|subscript(?=\s*[<(])|deinit(?=\s*\{)|var(?=\s)"
    r"|(?:get|set|willSet|didSet|_read|_modify)"
    r"(?=\s*(?:\(\w+\))?\s*(?:async\b\s*)?(?:throws\b\s*(?:\([^)]*\))?\s*)?\{)"
    r"|(?:let|case|in|struct|class|enum|protocol|extension|actor|typealias|import)\b)"
)
OPENING = re.compile(r"\s*\{")
REQUIREMENT = re.compile(r"\{\s*(?:mutating\s+)?get\b[\s\w()]*\}")
CALLABLE = {"func", "init", "subscript", "deinit"}
ACCESSOR = {"get", "set", "willSet", "didSet", "_read", "_modify"}
NAME = re.compile(r"(?:func|var)\s+([^\s(<:]+|[^\s(:\w]+)")


def functions(source, text):
    """The line count and the first line of each body's declaration, the line of its word included.

    A computed property is a function, or each of its accessors is where it names them. What lies in another
    function counts in both. A closure is part of the function around it.
    """
    found = []
    stack = []  # Of open braces: what they belong to, and what was open before them.
    waiting, depth, line = None, 0, 1
    for token in TOKEN.finditer(text):
        word = token.group()
        if word == "\n":
            # A property without a body ends with its line, unless its type or its brace is on the next.
            if waiting and waiting[0] == "var" and depth == 0 and text[token.start() - 1] != ":":
                if not OPENING.match(text, token.end()):
                    waiting = None
            line += 1
        elif word in "([":
            depth += 1
        elif word in ")]":
            depth -= 1
            if depth < 0:
                waiting = None
        elif word == "{":
            owner = waiting if depth == 0 else None
            # What a protocol requires of a property has no body.
            if owner and owner[0] in ("var", "subscript") and REQUIREMENT.match(text, token.start()):
                owner[-1] = True
            stack.append([owner, None if owner else waiting, depth])
            waiting, depth = None, 0
        elif word == "}":
            owner, waiting, depth = stack.pop()
            if owner and not owner[-1]:
                kind, start, at, _ = owner
                named = NAME.match(text, at)
                called = source[slice(*named.span(1))] if named else kind
                found.append((line - start + 1, start, called))
        elif word == "=":
            if waiting and waiting[0] == "var" and depth == 0:
                waiting = None
        elif depth <= 0 or not waiting:
            owner = stack[-1][0] if stack else None
            if word in ACCESSOR:
                if owner and owner[0] in ("var", "subscript"):
                    owner[-1] = True
                elif word not in ("willSet", "didSet"):
                    continue
            elif word not in CALLABLE and word != "var":
                waiting = None
                continue
            waiting, depth = [word, line, token.start(), False], 0
    if stack or depth:
        raise ValueError("braces do not match")
    return found


ASKING = re.compile(r"(?:is|has|can)(?![a-z])")
BOOLEAN = re.compile(r"\s*(?:async\b\s*)?(?:throws\b\s*(?:\([^)]*\))?\s*)?->\s*Bool\b(?![?.])")
PROPERTY = re.compile(r"(?<![\w.])var\s+(\w+)\s*:\s*Bool\b(?![?.])(\s*\{)?")
FUNCTION = re.compile(r"(?<![\w.])func\s+([^\s(<]+)\s*(?:<[^(]*>)?\s*\(")


def booleans(text):
    """The names of the functions and properties that give a Bool; of a stored one, with False."""
    for found in FUNCTION.finditer(text):
        depth, at = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        if BOOLEAN.match(text, at):
            yield found.group(1), True
    for found in PROPERTY.finditer(text):
        yield found.group(1), found.group(2) is not None


# The project.

def listed():
    """The text files that git knows or would add, with what they hold."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True,
    ).stdout.decode().split("\0")
    files = {}
    for name in sorted(set(names) - {""}):
        path = ROOT / name
        if path.is_symlink() or not path.is_file():
            continue
        held = path.read_bytes()
        if b"\0" in held:
            continue
        try:
            files[name] = held.decode()
        except UnicodeDecodeError:
            continue
    return files


def kind(name):
    ending = pathlib.PurePath(name).suffix
    if ending == ".swift":
        return "Swift"
    if ending in (".c", ".h", ".modulemap"):
        return "C"
    if ending in (".py", ".sh"):
        return "scripts"
    return "documentation" if ending == ".md" else "data"


def lines(text):
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def targets():
    with open(os.environ["FERRY_MANIFEST"]) as file:
        return {target["name"]: target for target in json.load(file)["targets"]}


def folder(target):
    if target.get("path"):
        return target["path"]
    top = "Tests" if target["type"] == "test" else "Sources"
    return f"{top}/{target['name']}"


def dependencies(target):
    """The names of the targets, and of the products of other packages, that a target asks for."""
    own, products = [], []
    for dependency in target["dependencies"]:
        (word, value), = dependency.items()
        (products if word == "product" else own).append(value[0])
    return own, products


def part(values, share):
    """The value below or at which a share of the sorted values lies, by nearest rank."""
    return values[max(0, -(-len(values) * share // 100) - 1)]


def below(name, top):
    return name.startswith(top + "/")


def count_lines(files, modules):
    sizes = {name: lines(text) for name, text in files.items()}

    def total(figure, of, names):
        of_kind = {}
        for name in names:
            of_kind[kind(name)] = of_kind.get(kind(name), 0) + sizes[name]
        note = ", ".join(f"{word} {count}" for word, count in sorted(of_kind.items()))
        say(figure, of, sum(of_kind.values()), f"{len(names)} files: {note}")

    for top in ("Sources", "Tests"):
        total("lines", top, [name for name in files if below(name, top)])
    total("lines", "Sources and Tests", [n for n in files if n.startswith(("Sources/", "Tests/"))])
    for top in ("Schemas", "Samples", ".ci"):
        total("lines", top, [name for name in files if below(name, top)])
    for module in sorted(modules):
        total("lines of a module", module, modules[module])
    for top in ("Sources", "Tests"):
        code_of = [name for name in files if below(name, top) and kind(name) == "Swift"]
        largest = max(code_of, key=lambda name: (sizes[name], name))
        say("lines of the largest Swift file", top, sizes[largest], largest)
        largest = max((n for n in files if below(n, top)), key=lambda name: (sizes[name], name))
        say("lines of the largest file", top, sizes[largest], largest)
        widths = [len(line) for name in code_of for line in files[name].splitlines()]
        say("columns of a Swift line, mean", top, f"{sum(widths) / len(widths):.2f}")
        say("Swift lines over 100 columns", top, sum(width > 100 for width in widths))


def count_functions(found, modules):
    """`found` has the functions of each file."""
    def row(of, names):
        all_of = sorted(
            (length, name, start, called) for name in names
            for length, start, called in found.get(name, ())
        )
        if not all_of:
            return
        lengths = [length for length, *_ in all_of]
        say("functions", of, len(lengths))
        say("lines of a function, median", of, part(lengths, 50))
        say("lines of a function, nine in ten at most", of, part(lengths, 90))
        longest = all_of[-1]
        say("lines of a function, longest", of, longest[0], f"{longest[3]} {longest[1]}:{longest[2]}")

    for top in ("Sources", "Tests"):
        row(top, [name for name in found if below(name, top)])
    for module in sorted(modules):
        row(module, modules[module])


def count_predicates(texts):
    def row(of, names):
        giving = [(name, body) for file in names for name, body in booleans(texts[file])]
        asking = sorted(name for name, _ in giving if ASKING.match(name))
        note = "" if of == "Sources" else " ".join(asking)
        say("predicates (is…, has…, can…)", of, len(asking), note)
        say("functions and computed properties that give a Bool", of, sum(body for _, body in giving))

    for top in DECISION:
        row(top, [name for name in texts if below(name, top)])
    if len(DECISION) > 1:
        row(" and ".join(DECISION), [n for n in texts if any(below(n, top) for top in DECISION)])
    row("Sources", [name for name in texts if below(name, "Sources")])


def count_targets(all_targets, texts, modules):
    kinds = [target["type"] for target in all_targets.values()]
    for word in sorted(set(kinds)):
        say("targets", word, kinds.count(word))
    name = "Migration"
    if name not in all_targets:
        say("dependencies", name, "not measured", "there is no such target")
        return
    own, products = dependencies(all_targets[name])
    say("dependencies, direct, on targets", name, len(own), " ".join(sorted(own)))
    say("dependencies, direct, on products", name, len(products), " ".join(sorted(products)))
    reached, left, foreign = set(), [name], set()
    while left:
        further, products = dependencies(all_targets[left.pop()])
        foreign.update(products)
        left += set(further) - reached
        reached.update(further)
    say("dependencies, all, on targets", name, len(reached), " ".join(sorted(reached)))
    say("dependencies, all, on products", name, len(foreign), " ".join(sorted(foreign)))
    imported = set()
    for file in modules[folder(all_targets[name])]:
        imported.update(re.findall(r"(?m)^\s*(?:\w+ )?import (?:\w+ )?(\w+)", texts.get(file, "")))
    imported &= set(all_targets)
    say("targets imported", name, len(imported), " ".join(sorted(imported)))


def count_keys(files):
    """The names under `properties` wherever the profile's schema describes an object."""
    places = []

    def walk(schema):
        if isinstance(schema, list):
            for one in schema:
                walk(one)
        elif isinstance(schema, dict):
            for word, value in schema.items():
                if word in ("properties", "$defs", "patternProperties", "dependentSchemas"):
                    if word == "properties":
                        places.extend(value)
                    for one in value.values():
                        walk(one)
                elif word not in ("const", "enum", "default", "examples", "required"):
                    walk(value)

    schemas = [n for n in files if re.search(r"(^|/)ferry\.profile[^/]*\.schema\.json$", n)]
    for name in schemas:
        walk(json.loads(files[name]))
    if not schemas:
        say("profile keys, names", "profile", "not measured", "no file ferry.profile….schema.json")
        return
    say("profile keys, names", "profile", len(set(places)), " ".join(sorted(set(places))))
    say("profile keys, places where one is allowed", "profile", len(places), " ".join(schemas))


# The program.

def program():
    named = os.environ.get("FERRY_PROGRAM")
    path = pathlib.Path(os.environ["FERRY_BEGUN"], named) if named else ROOT / ".build/release/ferry"
    return path if path.is_file() else None


def count_flags(path):
    if path is None:
        say("flags", "migrate", "not measured", "no program is built")
        return
    asked = subprocess.run([path, "--experimental-dump-help"], capture_output=True, check=True)
    for command in json.loads(asked.stdout)["command"]["subcommands"]:
        if command["commandName"] != "migrate":
            continue
        named = [
            argument for argument in command["arguments"]
            if argument["kind"] != "positional" and argument["shouldDisplay"]
        ]
        names = sorted(argument["preferredName"]["name"] for argument in named)
        say("flags", "migrate", len(names), " ".join(names))
        return
    say("flags", "migrate", "not measured", "the program has no such command")


def symbols(path):
    """The lines of `nm`: address, size, kind and name of each symbol that has a size."""
    try:
        answer = subprocess.run(
            ["nm", "-S", "--defined-only", path], check=True, capture_output=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    parts = (line.split(None, 3) for line in answer.splitlines())
    return [found for found in parts if len(found) == 4]


IDENTIFIER = re.compile(r"[1-9][0-9]*")


def identifiers(symbol):
    """The names in a mangled symbol, as far as they are written out."""
    at = 2
    while found := IDENTIFIER.search(symbol, at):
        at = found.end() + int(found.group())
        yield symbol[found.end():at]


def module(symbol, own):
    """Whose a symbol is: the first target of ours that it names, else the module that it begins with.

    So an extension of another module's type, and a copy specialised for a type of ours, are ours.
    """
    if symbol.startswith(("$s", "symbolic ", "get_type_metadata ", "associated conformance ")):
        for name in identifiers(symbol):
            if name in own:
                return name
        if found := re.match(r"\$s([1-9][0-9]*)", symbol):
            return symbol[found.end():found.end() + int(found.group(1))]
        return "Swift, of no module"
    return "C, C++ and what the linker made"


def measure_program(path, own, known):
    if path is None:
        say("bytes of the program", "ferry", "not measured", "no program is built")
        return
    with tempfile.TemporaryDirectory() as scratch:
        stripped = pathlib.Path(scratch, "ferry")
        try:
            subprocess.run(["strip", "-o", stripped, path], check=True, capture_output=True)
            whole = stripped.stat().st_size
            # macOS's `size` has other words for it.
            asked = ["size", "-A", "-d", stripped]
            sections = subprocess.run(asked, capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError):
            whole, sections = None, ""
    say("bytes of the program", "as built", path.stat().st_size)
    say("bytes of the program", "stripped", whole or "not measured")
    for section, size in re.findall(r"(?m)^(\S+) +(\d+) +\d+$", sections):
        if int(size) >= 100_000 and not section.startswith(".bss"):
            say("bytes in the program", "section " + section, size)
    # Several symbols may name one place; the first by its name counts.
    places = {}
    for address, size, place, symbol in known:
        if place not in "bB":
            one = symbol, int(size, 16)
            places[address] = min(places.get(address, one), one)
    if not places:
        say("bytes in the program", "each module", "not measured", "it has no symbols with sizes")
        return
    sums = {}
    for symbol, size in places.values():
        name = module(symbol, own)
        sums[name] = sums.get(name, 0) + size
    small = {name for name in sums if name not in own and sums[name] < 20_000}
    for name in sorted(own & set(sums)):
        say("bytes in the program", name, sums[name])
    say("bytes in the program", "all targets of ours", sum(sums.get(name, 0) for name in own))
    for name in sorted(set(sums) - own - small):
        say("bytes in the program", "not ours: " + name, sums[name])
    say("bytes in the program", "not ours: smaller modules", sum(sums[name] for name in small))
    if whole:
        # Relocations, unwind tables, names for the linker, reflection data, padding.
        say("bytes in the program", "without a symbol", whole - sum(sums.values()))


# The parses of a line.

# What gdb runs: each call of the parser whose text has the updated title is written down, with its callers.
WATCH = r"""
import gdb, json, os

class Parse(gdb.Breakpoint):
    def stop(self):
        frame = gdb.newest_frame()
        words = ("rdi", "rsi") if "x86" in frame.architecture().name() else ("x0", "x1")
        start, size = (int(frame.read_register(word)) & (1 << 64) - 1 for word in words)
        text = bytes(gdb.selected_inferior().read_memory(start, min(size, 1 << 16)))
        if os.environ["FERRY_TITLE"].encode() in text:
            callers, frame = [], frame.older()
            while frame and len(callers) < 40:
                callers.append(frame.name() or "")
                frame = frame.older()
            with open(os.environ["FERRY_PARSES"], "a") as file:
                print(json.dumps([text.hex(), callers]), file=file)
        return False

for word in ("pagination off", "confirm off", "print thread-events off"):
    gdb.execute("set " + word)
gdb.execute("handle SIGPIPE nostop noprint pass")
Parse("*(char*)&'" + os.environ["FERRY_PARSER"] + "'")
gdb.execute("run")
gdb.execute("quit $_exitcode")
"""
TITLE = "A title that was updated"


def observed(path, parser, scratch):
    """The texts with an updated title that one `migrate` of a sample parses, and the callers of each."""
    sample, port, parses = ROOT / "Samples/infinite-stories", scratch / "port", scratch / "parses"
    store = scratch / "sample.store"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(
        [sys.executable, sample / "make-store.py", "--legacy", store, "--scale", "40"],
        check=True, timeout=30, **quiet,
    )
    environment = dict(
        os.environ, FERRY_STATE_DIR=str(scratch / "state"), FERRY_TITLE=TITLE,
        FERRY_PARSES=str(parses), FERRY_PARSER=parser,
        MEASURE_EMAIL="demo@example.com", MEASURE_PASSWORD="correct-horse",
    )
    apart = path.with_name("ferry-backend")
    backend = subprocess.Popen(
        [*([apart] if apart.is_file() else [path, "backend"]), "--quiet", "--port-file", port,
         "--database", scratch / "backend.sqlite"], **quiet,
    )
    try:
        for _ in range(100):
            if port.is_file() and port.read_text().strip():
                break
            time.sleep(0.1)
        migrate = [
            path, "migrate", store, "--profile", sample / "profile.yaml",
            "--to", f"http://127.0.0.1:{port.read_text().strip()}", "--quiet",
            "--credential", "email=env:MEASURE_EMAIL",
            "--credential", "password=env:MEASURE_PASSWORD",
        ]
        subprocess.run(migrate, check=True, timeout=30, env=environment, **quiet)
        with sqlite3.connect(store) as rows:
            rows.execute(
                "UPDATE ZSTORY SET ZTITLE = ?, Z_OPT = Z_OPT + 1"
                " WHERE Z_PK = (SELECT min(Z_PK) FROM ZSTORY)", [TITLE],
            )
        rows.close()
        (scratch / "watch.py").write_text(WATCH)
        gdb = ["gdb", "-readnever", "-nx", "-batch", "-x", scratch / "watch.py", "--args"]
        subprocess.run(gdb + migrate, check=True, timeout=60, env=environment, **quiet)
    finally:
        backend.terminate()
        backend.wait()
    return [json.loads(line) for line in parses.read_text().splitlines()]


def count_parses(path, own, known):
    """Counts with gdb how often one `migrate` parses the line of the one record that it updates."""
    figure, of = "parses of a line for one update", "migrate"
    if path is None:
        say(figure, of, "not measured", "no program is built")
        return
    parsers = [
        symbol for _, _, place, symbol in known
        if place in "tT" and re.match(r"\$s\d+\w+?10JSONParserV8document_4from", symbol)
    ]
    if not parsers:
        say(figure, of, "not measured", "the program has no symbol of JSONParser.document")
        return
    parser = min(parsers, key=len)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            parses = observed(path, parser, pathlib.Path(scratch))
    except (OSError, subprocess.SubprocessError, sqlite3.Error) as error:
        said = str(error) if isinstance(error, OSError) else type(error).__name__
        say(figure, of, "not measured", f"the observed migration did not end well: {said}")
        return
    others = own - {next(identifiers(parser))}
    # The first is of the package; what the destination answers comes later, and has other members.
    records = [(text, callers) for text, callers in parses if bytes.fromhex(text).startswith(b"{")]
    ways = []
    for text, callers in records:
        if text == records[0][0]:
            names = [list(identifiers(caller)) for caller in callers if caller.startswith("$s")]
            called = [name[1:3] for name in names if len(name) > 2 and name[0] in others]
            ways.append(" < ".join(".".join(words) for words in called[:3]) or "a caller not found")
    say(figure, of, len(ways), "; ".join(sorted(ways)))
    say("parses of an object with the new value for one update", of, len(records))


# The rings of tests.

def read_times(logs):
    if not logs:
        say("seconds", "each ring of tests", "not measured", "no log was named")
    step = re.compile(r"([\w.-]+): (\d+) s(?:, status (\d+))?$")
    tests = re.compile(r"Test run with (\d+) tests?.* (passed|failed) after ([0-9.]+) seconds")
    for log in logs:
        label, runs = pathlib.PurePath(log).name, 0
        with open(pathlib.Path(os.environ["FERRY_BEGUN"], log), errors="replace") as file:
            for line in file:
                if found := step.match(line.rstrip("\n")):
                    status = f"status {found.group(3)}" if found.group(3) else ""
                    say("seconds", f"{label}: {found.group(1)}", found.group(2), status)
                elif found := tests.search(line):
                    runs += 1
                    note = f"{found.group(1)} tests {found.group(2)}"
                    say("seconds", f"{label}: test run {runs}", found.group(3), note)


def main():
    files = listed()
    all_targets = targets()
    folders = {folder(target) for target in all_targets.values()}
    # A file is of the innermost target around it; else of the folder below Sources or Tests.
    modules = {place: [] for place in folders}
    texts, found = {}, {}
    for name, text in files.items():
        around = [place for place in folders if below(name, place)]
        if around:
            modules[max(around, key=len)].append(name)
        elif name.startswith(("Sources/", "Tests/")):
            modules.setdefault("/".join(name.split("/")[:2]) + " (rest)", []).append(name)
        if kind(name) != "Swift" or not name.startswith(("Sources/", "Tests/", "Schemas/")):
            continue
        try:
            texts[name] = code(text)
            found[name] = functions(text, texts[name])
        except (ValueError, IndexError) as error:
            print(f"{name} is not measured: {error}", file=sys.stderr)
    count_lines(files, modules)
    count_functions(found, modules)
    count_predicates(texts)
    count_targets(all_targets, texts, modules)
    path = program()
    count_flags(path)
    count_keys(files)
    own = {name for name in all_targets if all_targets[name]["type"] != "test"}
    known = symbols(path) if path else []
    count_parses(path, own, known)
    read_times(sys.argv[1:])
    measure_program(path, own, known)


main()
