#!/usr/bin/env python3
"""Holds the program against what an earlier version of it did, as committed digests say.

  oracle.py sessions --freeze 0-19999      traces the histories twice and writes sessions.txt
  oracle.py sessions                       traces them with today's program and names the seeds that differ
  oracle.py sessions --old PROGRAM         the same, and shows the differences to that program's traces, by kind
  oracle.py sessions --old PROGRAM --show SEED   shows the difference in one history
  oracle.py runs --freeze A B              writes runs.txt from two recordings by the same program
  oracle.py runs C                         names the tests in which recording C differs
  oracle.py runs C --old A                 the same, and shows how

PROGRAM is a `simulate-sessions` (--program names today's one; `swift build -c release` puts it where it is
looked for). `--at PLACE` is passed on to it. A recording is a file that the tests add to:

  FERRY_ORACLE=/tmp/a.jsonl swift test -c release --filter ScenarioTests --no-parallel

Histories and tests in which two recordings by the same program differ are written down as such, and are not
compared. A name that changed is compared through renames.txt. The exit status is 1 where anything differs.
"""
import argparse, base64, collections, concurrent.futures, difflib, hashlib, itertools, json, os, re
import subprocess, sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
CHUNK = 100
A_LINE = 20


def renames():
    pairs = []
    with open(os.path.join(FOLDER, 'renames.txt'), encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                old, new = line.split(' = ')
                pairs.append((old.strip(), new.strip()))
    return pairs


def common(pairs):
    """A name for each old and for each new one, which is the same where a name became or merged into another."""
    classes = {}
    for old, new in pairs:
        both = classes.get(('old', old), set()) | classes.get(('new', new), set()) | {('old', old), ('new', new)}
        classes.update(dict.fromkeys(both, both))
    shared = {node: min(name for side, name in both if side == 'new') for node, both in classes.items()}
    return [{name: text for (side, name), text in shared.items() if side == wanted} for wanted in ('old', 'new')]


def back(pairs):
    """The old name of each new one."""
    names = {new: old for old, new in pairs}
    if len(names) < len(pairs):
        sys.exit('two names became one, which digests cannot be compared through: name --old')
    return names


def commit():
    run = ['git', '-C', ROOT, 'rev-parse', 'HEAD']
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()


# Histories

def mapped(trace, names):
    """A trace under other names; what its packages hold is not named by us."""
    if not names:
        return trace
    return [
        line if line.startswith('package ') else ' '.join(names.get(word, word) for word in line.split(' '))
        for line in trace
    ]


def chunk(program, place, first, last):
    """The traces of a few seeds."""
    words = [program] + (['--at', place] if place else []) + ['--trace', f'{first}-{last}']
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f'{" ".join(words)}: {ended.returncode} {ended.stdout[-500:]}{ended.stderr[-500:]}')
    traces, seed = {}, None
    for line in ended.stdout.splitlines():
        begun = re.fullmatch(r'seed (\d+)', line)
        if begun:
            seed = int(begun[1])
            traces[seed] = []
        else:
            traces[seed].append(line)
    if list(traces) != list(range(first, last + 1)):
        sys.exit(f'{" ".join(words)} left seeds out')
    return traces


def traced(programs, place, first, last):
    """For each seed, its trace under each of some programs; as many processes as processors."""
    def of(start):
        end = min(start + CHUNK - 1, last)
        return [chunk(program, place, start, end) for program in programs]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for parts in pool.map(of, range(first, last + 1, CHUNK)):
            for seed in parts[0]:
                yield seed, [part[seed] for part in parts]


def short(trace):
    """24 bits of a digest, in four characters."""
    digest = hashlib.sha256('\n'.join(trace).encode()).digest()
    return base64.b64encode(digest[:3]).decode()


def freeze_sessions(program, place, first, last):
    digests, unsteady, broken = [], [], []
    for seed, (one, two) in traced([program, program], place, first, last):
        digests.append(short(one) if one == two else '----')
        if one != two:
            unsteady.append(seed)
        if any(line.startswith('VIOLATION') for line in one):
            broken.append(seed)
    path = os.path.join(FOLDER, f'sessions{"-" + place if place else ""}.txt')
    with open(path, 'w') as file:
        file.write(f'# Traces of simulate-sessions{" --at " + place if place else ""}, 24 bits of SHA-256 each,\n')
        file.write(f'# made by {commit()}\n{first}-{last}\n')
        for start in range(0, len(digests), A_LINE):
            file.write(''.join(digests[start:start + A_LINE]) + '\n')
    print(f'{path}: {len(digests)} histories, {len(unsteady)} differ from run to run: {unsteady[:20]}, '
          f'{len(broken)} broken: {broken[:20]}')


def compare_sessions(program, place):
    path = os.path.join(FOLDER, f'sessions{"-" + place if place else ""}.txt')
    with open(path) as file:
        lines = [line.strip() for line in file if not line.startswith('#')]
    first, last = map(int, lines[0].split('-'))
    text = ''.join(lines[1:])
    names = back(renames())
    differ = []
    for seed, (trace,) in traced([program], place, first, last):
        frozen = text[(seed - first) * 4:(seed - first) * 4 + 4]
        if frozen != '----' and frozen != short(mapped(trace, names)):
            differ.append(seed)
    print(f'{last - first + 1} histories, {text.count("----")} not compared, {len(differ)} differ: '
          + ' '.join(map(str, differ)))
    return not differ


def kind_of(difference):
    """A difference without the names and values of its records, so that like ones fall together."""
    def general(line):
        line = re.sub(r'\b[th]\d+\b', 'X', line)
        return re.sub(r'\bvalue \S+|\bpicture \S+|\bpackage \d+|^(.)file \S+', r'\1…', line)

    kind = sorted({general(line) for line in difference})
    return '\n    '.join(kind)


def difference(old, new):
    lines = difflib.unified_diff(old, new, n=0, lineterm='')
    return [line for line in lines if not line.startswith(('---', '+++', '@@'))]


def show_sessions(old_program, program, place, first, last, shown):
    old_names, new_names = common(renames())
    kinds = collections.defaultdict(list)
    count = 0
    for seed, (old, new) in traced([old_program, program], place, first, last):
        count += 1
        old, new = mapped(old, old_names), mapped(new, new_names)
        if shown:
            print('\n'.join(difflib.unified_diff(old, new, 'old', 'new', n=1000, lineterm='')) or 'the same')
            return old == new
        if old != new:
            kinds[kind_of(difference(old, new))].append(seed)
    for kind, seeds in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f'{len(seeds)} histories, as {" ".join(map(str, seeds[:5]))}:\n    {kind}')
    print(f'{count} histories, {sum(map(len, kinds.values()))} differ in {len(kinds)} ways')
    return not kinds


# Runs of tests

LISTS = ('records', 'media', 'entities', 'findings', 'operations')
FINDING = ('code', 'severity', 'entity', 'record', 'pointer')
# What is never drawn.
STEADY = {'status', 'stage', 'code', 'severity', 'entity', 'pointer'}
# Values that may be drawn anew each time: identities, times, tokens, addresses, folders.
RANDOM = re.compile(r'[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-|\d{4}-\d\d-\d\dT|^[A-Za-z0-9+/=_.-]{16,}$|127\.0\.0\.1|/ferry-tests-')


def looks_random(value):
    if isinstance(value, str):
        return bool(RANDOM.search(value))
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10 ** 9


def flat(value, name=''):
    """The scalars in a JSON value, by their paths; the places in an array do not count."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f'{name}.{key}' if name else key)
    elif isinstance(value, list):
        for inner in value:
            yield from flat(inner, f'{name}[]')
    else:
        yield name, value


def facts_of(run):
    """What a run came to, as pairs of a kind and its fields."""
    yield f'run {run["verb"]}', [('status', run['status'])]
    for result in run['results']:
        kind = result.get('type', '?')
        for name in ('clean', 'stage'):
            if name in result:
                yield kind, [(name, result[name])]
        for name in LISTS:
            for item in result.get(name) or []:
                if not isinstance(item, dict):
                    continue
                if name == 'findings':
                    fields = [(field, item.get(field)) for field in FINDING]
                else:
                    fields = [(field, value) for field, value in flat(item) if value not in (0, None)]
                yield f'{kind} {name}', fields
    for folder, tables in run['held'].items():
        if not isinstance(tables, dict):
            yield f'holds{folder}', [('content', tables)]
            continue
        for table, rows in tables.items():
            if table not in ('accounts', 'sessions'):
                for row in rows:
                    yield f'holds {table}', list(flat(row))


def recording(path, names):
    """The facts of each test."""
    tests = collections.defaultdict(list)
    with open(path, encoding='utf-8') as file:
        for line in file:
            run = json.loads(line)
            def named(text):
                return names.get(text, text) if isinstance(text, str) else text
            for kind, fields in facts_of(run):
                kind = ' '.join(named(word) for word in kind.split(' '))
                tests[named(run['test'])].append((kind, [(named(key), named(value)) for key, value in fields]))
    return tests


def drawn_fields(one, two):
    """The fields whose values two recordings by the same program do not share, though they are as many."""
    drawn = set()
    for test in one.keys() & two.keys():
        seen = [collections.defaultdict(collections.Counter) for _ in range(2)]
        for facts, values in zip((one[test], two[test]), seen):
            for kind, fields in facts:
                for key, value in fields:
                    if key not in STEADY and looks_random(value):
                        values[kind, key][json.dumps(value)] += 1
        drawn |= {
            place for place in seen[0].keys() & seen[1].keys()
            if seen[0][place] != seen[1][place] and seen[0][place].total() == seen[1][place].total()
        }
    return drawn


def lines_of(facts, drawn):
    """The facts as sorted lines, without the values of some fields."""
    lines = []
    for kind, fields in facts:
        shown = sorted(
            f'{key}={"…" if (kind, key) in drawn and looks_random(value) else json.dumps(value)}'
            for key, value in fields
        )
        lines.append(f'{kind}: {" ".join(shown)}')
    return sorted(lines)


def digest_of(lines):
    return hashlib.sha256('\n'.join(lines).encode()).hexdigest()[:8]


def freeze_runs(first, second):
    one, two = recording(first, {}), recording(second, {})
    drawn = drawn_fields(one, two)
    path = os.path.join(FOLDER, 'runs.txt')
    unsteady = 0
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'# What the runs of each test come to, 32 bits of SHA-256 each, made by {commit()}\n')
        for kind, key in sorted(drawn):
            file.write(f'drawn {json.dumps([kind, key])}\n')
        for test in sorted(one.keys() | two.keys()):
            lines = [lines_of(tests.get(test, []), drawn) for tests in (one, two)]
            unsteady += lines[0] != lines[1]
            file.write(f'{digest_of(lines[0]) if lines[0] == lines[1] else "--------"} {test}\n')
    print(f'{path}: {len(one.keys() | two.keys())} tests, {unsteady} differ from run to run, '
          f'{len(drawn)} fields are drawn anew')


def frozen_runs():
    digests, drawn = {}, set()
    with open(os.path.join(FOLDER, 'runs.txt'), encoding='utf-8') as file:
        for line in file:
            word, rest = line.rstrip('\n').split(' ', 1)
            if word == 'drawn':
                drawn.add(tuple(json.loads(rest)))
            elif word != '#':
                digests[rest] = word
    return digests, drawn


def compare_runs(path, old):
    digests, drawn = frozen_runs()
    if old:
        names, new_names = common(renames())
        drawn = {(' '.join(names.get(w, w) for w in kind.split(' ')), names.get(key, key)) for kind, key in drawn}
        digests = {names.get(test, test): digest for test, digest in digests.items()}
        before, now = recording(old, names), recording(path, new_names)
    else:
        before, now = None, recording(path, back(renames()))
    differ = 0
    for test, digest in sorted(digests.items()):
        lines = lines_of(now.get(test, []), drawn)
        if before is not None:
            earlier = lines_of(before.get(test, []), drawn)
            isSame = digest == '--------' or lines == earlier
        else:
            isSame = digest in ('--------', digest_of(lines))
        if isSame:
            continue
        differ += 1
        print(test if test in now else f'{test}: did not run')
        if before is not None and test in now:
            for line in itertools.islice(difference(earlier, lines), 40):
                print(f'    {line}')
    new = sorted(now.keys() - digests.keys())
    print(f'{len(digests)} tests, {list(digests.values()).count("--------")} not compared, {differ} differ, '
          f'{len(new)} are new: {new[:20]}')
    return not differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest='kind', required=True)
    sessions = kinds.add_parser('sessions')
    sessions.add_argument('--freeze', metavar='FIRST-LAST')
    sessions.add_argument('--seeds', metavar='FIRST-LAST', default='0-19999')
    sessions.add_argument('--at', metavar='PLACE')
    sessions.add_argument('--old', metavar='PROGRAM')
    sessions.add_argument('--show', metavar='SEED', type=int)
    sessions.add_argument('--program', default=os.path.join(ROOT, '.build/release/simulate-sessions'))
    runs = kinds.add_parser('runs')
    runs.add_argument('--freeze', action='store_true')
    runs.add_argument('--old', metavar='RECORDING')
    runs.add_argument('recordings', nargs='+')
    given = parser.parse_args()
    if given.kind == 'runs':
        if given.freeze:
            if len(given.recordings) != 2:
                parser.error('two recordings by the same program are needed')
            return freeze_runs(*given.recordings)
        sys.exit(0 if compare_runs(given.recordings[0], given.old) else 1)
    if given.freeze:
        return freeze_sessions(given.program, given.at, *map(int, given.freeze.split('-')))
    if given.show is not None and not given.old:
        parser.error('--show needs --old')
    if given.old:
        first, last = (given.show,) * 2 if given.show is not None else map(int, given.seeds.split('-'))
        shown = given.show is not None
        same = show_sessions(given.old, given.program, given.at, first, last, shown)
    else:
        same = compare_sessions(given.program, given.at)
    sys.exit(0 if same else 1)


if __name__ == '__main__':
    main()
