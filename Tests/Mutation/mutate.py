#!/usr/bin/env python3
"""Puts faults into the judge, the checkpoint and the package writer, and counts those that the tests find.

    python3 Tests/Mutation/mutate.py [--sample COUNT] [--seed SEED] [--module MODULE] [--again]

Every place where a fault can be put in is tried, or COUNT of them, chosen by SEED. The modules are
Reconciliation, CheckedDatabases, Checkpoint, CheckpointMending and ExportPackage, with what their tests need,
copied to .build/mutation; all faults are built at once, and each is switched on by itself while the tests of its
module run, the quick ones first. A test that fails finds a fault, and so does a crash, and a run that takes far too long; one
that no test comes by has survived. What does not compile is left out, and counted. With --again
only those are tried that survived the last time.

Faults that no one could notice are in equivalent.txt, each with the reason, and are left out.
Survivors are listed in .build/mutation/survived.txt; the last line sums up.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import places
from places import Place

PROJECT = Path(__file__).resolve().parents[2]
WORK = PROJECT / ".build/mutation"
COPY = WORK / "ferry"
BUILD = WORK / "build"
SURVIVED = WORK / "survived.txt"
SLOW_CHECKPOINTS = ["a changed byte anywhere in", "with a changed byte in any part"]
SLOW_PACKAGES = ["with any byte of", "every changed byte", "cut off before", "damage in any file"]
#: What tests a module, in the order in which it is asked: what to run, and what of it to leave out.
TESTS = {
    "Reconciliation": [("^ReconciliationTests\\.", [])],
    "CheckedDatabases": [
        ("^CheckpointTests\\.", SLOW_CHECKPOINTS),
        (f"^CheckpointTests\\..*({'|'.join(SLOW_CHECKPOINTS)})", []),
        ("^SimulationTests\\.ForgettingDisk", []),
    ],
    "Checkpoint": [
        ("^CheckpointTests\\.", SLOW_CHECKPOINTS),
        (f"^CheckpointTests\\..*({'|'.join(SLOW_CHECKPOINTS)})", []),
        ("^SimulationTests\\.ForgettingDisk", []),
    ],
    "CheckpointMending": [
        ("^CheckpointTests\\.", SLOW_CHECKPOINTS),
        (f"^CheckpointTests\\..*({'|'.join(SLOW_CHECKPOINTS)})", []),
    ],
    "ExportPackage": [
        ("^ExportPackageTests\\.", SLOW_PACKAGES),
        (f"^ExportPackageTests\\..*({'|'.join(SLOW_PACKAGES)})", []),
    ],
}
MANIFEST = """
// Only what the tests of the modules need.
var kept: Set<String> = [
  "ReconciliationTests", "CheckpointTests", "ExportPackageTests", "SimulationTests",
]
var count = 0
while count < kept.count {
  count = kept.count
  for target in package.targets where kept.contains(target.name) {
    for case .byNameItem(let name, _) in target.dependencies { kept.insert(name) }
    for case .targetItem(let name, _) in target.dependencies { kept.insert(name) }
  }
}
package.targets.removeAll { !kept.contains($0.name) }
package.products = []
"""


def put(path: Path, text: str) -> None:
    """Writes a file that is not there or another, so that a build sees what has changed."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def copy_project() -> None:
    """Brings the copy up to date, but for the sources that faults are put into."""
    for folder in ["Sources", "Tests", "Schemas", "Samples"]:
        wanted = set()
        for source in (PROJECT / folder).rglob("*"):
            if source.is_file() and "__pycache__" not in source.parts:
                target = COPY / source.relative_to(PROJECT)
                wanted.add(target)
                if is_faulty(source) or (
                    target.exists() and target.read_bytes() == source.read_bytes()
                ):
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
        for target in (COPY / folder).rglob("*"):
            if target.is_file() and target not in wanted and target.name != "Mutants.swift":
                target.unlink()
    shutil.copyfile(PROJECT / "Package.resolved", COPY / "Package.resolved")
    manifest = (PROJECT / "Package.swift").read_text() + MANIFEST
    # A fault may well leave a line that is never reached.
    manifest = manifest.replace(".treatAllWarnings(as: .error)", ".treatAllWarnings(as: .warning)")
    put(COPY / "Package.swift", manifest)


def folder_of(module: str) -> Path:
    """The folder of a module, within the project."""
    for folder in [PROJECT / "Sources" / module, *(PROJECT / "Sources").glob(f"*/{module}")]:
        if folder.is_dir():
            return folder.relative_to(PROJECT)
    sys.exit(f"there is no module {module}")


def is_faulty(source: Path) -> bool:
    """Whether faults are put into a file of the project."""
    name = source.relative_to(PROJECT)
    return any(name.is_relative_to(folder_of(module)) for module in TESTS) and name.suffix == ".swift"


def build(*arguments: str) -> tuple[int, str]:
    """Builds the copy; gives the status, and what the compiler said."""
    command = ["swift", "build", "--package-path", COPY, "--scratch-path", BUILD, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def sources(module: str) -> list[tuple[str, str]]:
    """The files of a module, by name, with their texts."""
    paths = sorted((PROJECT / folder_of(module)).rglob("*.swift"))
    return [(str(path.relative_to(PROJECT)), path.read_text()) for path in paths]


def equivalents() -> set[str]:
    """The names of the faults that no one could notice."""
    lines = (PROJECT / "Tests/Mutation/equivalent.txt").read_text().splitlines()
    return {line for line in lines if line.startswith("Sources/")}


def chosen_places(modules: list[str], sample: int, seed: int, again: bool) -> tuple[list[Place], int]:
    """The faults to try, in the order of the sources, and how many places there are."""
    found = [p for module in modules for name, text in sources(module) for p in places.places(name, text)]
    for number, place in enumerate(found, 1):
        place.number = number
    known = equivalents()
    unknown = known - {place.name for place in found}
    if unknown and set(modules) == set(TESTS):
        sys.exit("equivalent.txt names what is not there:\n" + "\n".join(sorted(unknown)))
    chosen = [place for place in found if place.name not in known]
    if again:
        last = set(SURVIVED.read_text().splitlines())
        chosen = [place for place in chosen if place.name in last]
    if sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)
    return sorted(chosen, key=lambda place: place.number), len(found)


def module_of(place: Place) -> str:
    return next(module for module in TESTS if Path(place.path).is_relative_to(folder_of(module)))


def put_in(modules: list[str], chosen: list[Place]) -> None:
    """Writes the modules with the faults."""
    template = (PROJECT / "Tests/Mutation/Mutants.swift").read_text()
    for module in TESTS:
        own = [place for place in chosen if module_of(place) == module]
        operators = "\n".join(places.declaration(place) for place in own if place.swap[0])
        put(COPY / folder_of(module) / "Mutants.swift", template + "\n" + operators)
        for name, text in sources(module):
            here = [place for place in own if place.path == name]
            put(COPY / name, places.mutated(text, here))


def to_blame(path: str, line: int, chosen: list[Place]) -> list[Place]:
    """The faults that may be why a line of the copy does not compile, the likeliest alone."""
    if path.endswith("Mutants.swift"):
        text = "\n".join((COPY / path).read_text().split("\n")[line - 1 : line + 4])
        match = re.search(r"isMutant\((\d+)\)", text)
        return [p for p in chosen if match and p.number == int(match.group(1))]
    here = [p for p in chosen if p.path == path]
    at_line = [p for p in here if p.line == line]
    joined = [p for p in at_line if p.swap[0] == "+"]
    typed = [p for p in at_line if p.swap[0] or "one more" in p.what]
    around = [p for p in here if p.line <= line <= p.line + p.lines]
    near = [p for p in here if p.line - 4 <= line <= p.line + p.lines + 4]
    innermost = [max(around, key=lambda p: p.start)] if around else []
    return joined or typed or at_line or innermost or near


def compiled(modules: list[str], chosen: list[Place]) -> list[Place]:
    """The faults that compile together; the copy is built with them."""
    while True:
        put_in(modules, chosen)
        said = ""
        for module in modules:
            said += build("--target", module)[1]
        errors = set(re.findall(rf"{COPY}/([^:\n]+):(\d+):\d+: error:", said))
        if not errors:
            status, last = build("--build-tests")
            if status:
                sys.exit(f"the copy does not build:\n{said[-1000:]}{last[-4000:]}")
            return chosen
        bad = {p.number for path, line in errors for p in to_blame(path, int(line), chosen)}
        if not bad:
            sys.exit(f"the copy does not build:\n{said[-4000:]}")
        for place in chosen:
            if place.number in bad:
                print(f"does not compile: {place.name}", flush=True)
        chosen = [place for place in chosen if place.number not in bad]


def run_tests(step: tuple[str, list[str]], seconds: float, **variables: str) -> bool:
    """Whether the tests pass within the time."""
    binary = next(BUILD.glob("*/debug/ferryPackageTests.xctest"))
    command: list[str | Path] = [binary, "--testing-library", "swift-testing"]
    if binary.is_dir():
        command = ["swift", "test", "--package-path", COPY, "--scratch-path", BUILD, "--skip-build"]
    command += ["--filter", step[0]]
    for name in step[1]:
        command += ["--skip", name]
    # In memory, where there is that folder: what is synced there costs nothing.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory, ignore_cleanup_errors=True) as folder:
        quiet = {"SWIFT_BACKTRACE": "enable=no", "TMPDIR": folder}
        process = subprocess.Popen(
            command,
            env=os.environ | quiet | variables,
            cwd=COPY,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        end = threading.Timer(seconds, end_group, [process])
        end.start()
        # One failure is enough: what would be tried after it says nothing more.
        is_sound = not any(" recorded an issue " in line for line in process.stdout or [])
        if not is_sound:
            end_group(process)
        is_sound = process.wait() == 0 and is_sound
        end.cancel()
        end_group(process)
        return is_sound


def end_group(process: subprocess.Popen[str]) -> None:
    """Ends the tests with every program that they started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Trial:
    """The tests of a module, how long they may take, and which faults they come by."""

    def __init__(self, module: str) -> None:
        self.steps = []
        for step in TESTS[module]:
            begun = time.monotonic()
            if not run_tests(step, 1200):
                sys.exit(f"the tests {step[0]} fail without any fault")
            seconds = time.monotonic() - begun
            trace = WORK / "reached"
            trace.unlink(missing_ok=True)
            run_tests(step, 3600, FERRY_MUTANTS_REACHED=str(trace))
            numbers = trace.read_text().split() if trace.exists() else []
            self.steps.append((step, 5 * seconds + 5, {int(number) for number in numbers}))
            print(f"{step[0]} takes {seconds:.1f} s, comes by {len(numbers)} faults", flush=True)

    def outcome(self, place: Place) -> str:
        """What became of a fault."""
        steps = [(step, limit) for step, limit, reached in self.steps if place.number in reached]
        if not steps:
            return "not reached"
        for step, limit in steps:
            if not run_tests(step, limit, FERRY_MUTANT=str(place.number)):
                return "found"
        return "survived"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=sys.maxsize, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--module", choices=list(TESTS))
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    modules = [options.module] if options.module else list(TESTS)
    # The disk that forgets is a target only where the manifest finds this.
    os.environ["FERRY_TESTS"] = "all"
    copy_project()
    wanted, count = chosen_places(modules, options.sample, options.seed, options.again)
    print(f"{count} places, {len(wanted)} chosen, seed {options.seed}", flush=True)
    chosen = compiled(modules, wanted)
    trials = {module: Trial(module) for module in modules}
    survivors = []
    for place in chosen:
        outcome = trials[module_of(place)].outcome(place)
        if outcome != "found":
            survivors.append(place)
            print(f"{outcome}: {place.line}: {place.name}", flush=True)
    put(SURVIVED, "".join(f"{place.name}\n" for place in survivors))
    for module in modules:
        own = sum(module_of(place) == module for place in chosen)
        left = sum(module_of(place) == module for place in survivors)
        print(f"{module}: {own} tried, {own - left} found, {share(own, left)}")
    print(
        f"mutation: {count} places, {len(chosen)} tried, {len(chosen) - len(survivors)} found, "
        f"{len(survivors)} survived, {share(len(chosen), len(survivors))}, seed {options.seed} "
        f"({len(wanted) - len(chosen)} do not compile)"
    )


def share(tried: int, survived: int) -> str:
    """The score in percent."""
    return f"{100 * (tried - survived) / max(1, tried):.1f} %"


if __name__ == "__main__":
    main()
