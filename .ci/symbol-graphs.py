#!/usr/bin/env python3
"""Writes the symbol graph of every module, from the commands of a finished build.

    python3 .ci/symbol-graphs.py .build/release.yaml FOLDER MODULE …

Each module is read once more as the build reads it, without the bodies of its functions, so that this takes
seconds: nothing is compiled. Extracted from finished modules, the graphs would lack whatever names
another module's package types.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

# What only compiling needs; the second set is followed by a path.
ALONE = {
    "-c", "-incremental", "-emit-dependencies", "-emit-module", "-enable-batch-mode",
    "-serialize-diagnostics", "-parseable-output", "-emit-objc-header",
}
FOLLOWED = {
    "-output-file-map", "-index-store-path", "-emit-module-path", "-emit-objc-header-path",
}


def commands(description):
    """The compiler's words for each module of the build."""
    found = {}
    module = None
    with open(description) as file:
        for line in file:
            start = re.match(r'  "C\.(\w+)-.*-(?:debug|release)\.module":$', line)
            if start:
                module = start.group(1)
            elif module and line.startswith("    args: "):
                found[module] = json.loads(line.removeprefix("    args: "))
                module = None
    return found


def kept(words):
    words = iter(words)
    for word in words:
        if word in FOLLOWED:
            next(words)
        elif word not in ALONE and not re.fullmatch(r"-j\d+", word):
            yield word


def write(module, words, folder, scratch):
    asked = ["-whole-module-optimization", "-Xfrontend", "-experimental-skip-all-function-bodies"]
    asked += ["-emit-module", "-emit-module-path", f"{scratch}/{module}.swiftmodule"]
    asked += ["-emit-symbol-graph", "-emit-symbol-graph-dir", folder]
    asked += ["-symbol-graph-minimum-access-level", "package"]
    answer = subprocess.run([*kept(words), *asked], capture_output=True, text=True)
    return answer.returncode, answer.stdout + answer.stderr


def main():
    description, folder, *modules = sys.argv[1:]
    known = commands(description)
    lacking = [module for module in modules if module not in known]
    if lacking:
        sys.exit(f"{description} does not build {', '.join(lacking)}; run swift build first")
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = {
                module: pool.submit(write, module, known[module], folder, scratch) for module in modules
            }
        for module, answer in answers.items():
            status, said = answer.result()
            if status:
                print(f"{module}:\n{said}", file=sys.stderr)
                failed = True
    sys.exit(1 if failed else 0)


main()
