#!/usr/bin/env python3
"""Breaks one behaviour after the other in the product, and asks whether the test that names it fails.

    python3 Tests/Mutation/requirements.py --check
    python3 Tests/Mutation/requirements.py --list
    python3 Tests/Mutation/requirements.py --run [NUMBER ...] [--with COMMAND]

A comment before a test names requirements (`000-3`). FAULTS has 40 of their numbers, drawn with SEED from all of
them, and those of MORE. Each fault is one edit of a source or of a shipped profile, and names the test that must fail.

--check says whether each edit still fits its file in one place, and whether the test exists and names the number.
--run makes one edit at a time, runs its test, and takes the edit back. It prints a line for each number: `red` where
the test failed as it must. COMMAND gets the test as its last argument, and ends with 0 where the test passes;
by default the tests are built and run with `swift test --filter`. The exit status is 1 where a test stayed green.
"""

import argparse
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
SEED = 36
COUNT = 40
#: The numbers of each list that a tool can honour; the others are about an app's screens.
LISTS = {
    "000": "1 3-4 6-16 18-39 41-45 47-51 56 58-63 65-74",
    "001": "2-11 13-21 23 25 28 30-33 35-40 42-45 47-48 50-71",
    "002": "1-16 19-26 31-41 43-48 50-60 62-65 67",
    "003": "2-14 16-17 19 21 23-30 34",
    "004": "1-3 5-12 14 16 19-26 30-32",
}
MAIN = "Sources/"
STORIES = "Samples/infinite-stories/profile.yaml"
SCENARIOS = "Tests/EndToEnd/ScenarioTests/"


class Fault(NamedTuple):
    """An edit that breaks what a requirement asks for, and the test that must fail then."""

    number: str
    path: str
    old: str
    new: str
    test: str


FAULTS = [
    Fault(
        "000-1", MAIN + "SQLiteStores/CoreData/RowPlan.swift",
        r'selection + " WHERE t.Z_ENT = \(layout.number)\(start) ORDER BY t.Z_PK" + limit,',
        r'selection + " WHERE t.Z_ENT = \(layout.number)\(start) AND t.Z_PK > 1 ORDER BY t.Z_PK" + limit,',
        "ScenarioTests.AppSampleTests/every row of an app becomes a record that obeys its schema",
    ),
    Fault(
        "000-8", MAIN + "StageSupport/EntityProfile+Outcome.swift",
        "guard role == .own else { return .skipped }",
        "guard role != .server else { return .skipped }",
        "ScenarioTests.SyncStateTests/000-11, 002-4 derived and server-owned records are exported and counted, not sent",
    ),
    Fault(
        "000-18", MAIN + "Model/RequestMapping/RequestProgram+Claim.swift",
        "meaning = rule.meanings[text]",
        "meaning = text.isEmpty ? rule.meanings[text] : .changed",
        "ScenarioTests.LaterStoriesTests/a store that took over the write-back file is adopted by another machine",
    ),
    Fault(
        "000-23", STORIES,
        "traits: { list: [primaryTrait, secondaryTrait], unique: true }",
        "traits: { list: [secondaryTrait, primaryTrait], unique: true }",
        "ScenarioTests.StoryFieldTests/a hero has its traits there as the app reads them, the first one first",
    ),
    Fault(
        "000-24", STORIES,
        "language: { field: language, default: en }",
        "language: { field: language, default: xx }",
        "ScenarioTests.StoryFieldTests/a hero gets an age and a story a language, and unmapped fields are named",
    ),
    Fault(
        "000-35", MAIN + "Model/Profiles/WriteRoutes.swift",
        "case .whole: text\n",
        "case .whole: text.count == 36 ? text : nil\n",
        "DestinationKindsTests.SingleItemTests/a create takes identity and version from the row",
    ),
    Fault(
        "000-48", MAIN + "Sync/Reconciliation/Judge+Policy.swift",
        "case .merge: triple.agreement == nil ? .keptRemote(.now) : merge(over: read.copy)",
        "case .merge: triple.agreement == nil ? sendOurs(over: read.copy) : merge(over: read.copy)",
        "ScenarioTests.ConflictTests/000-48 merge without a base keeps the remote's value",
    ),
    Fault(
        "000-51", MAIN + "Sync/Reconciliation/Judge+Policy.swift",
        "case .remote: .keptRemote(.now)",
        "case .remote: sendOurs(over: read.copy)",
        "ScenarioTests.LaterStoriesTests/edit on both sides: the policy's side wins, and the losing one is listed",
    ),
    Fault(
        "000-58", MAIN + "Sync/UploadPlanning/UploadEngine+Events.swift",
        "case .interrupted: if end == nil { end = .interrupted }",
        "case .interrupted: break",
        "UploadPlanningTests.EngineEndTests/an interruption drains requests in flight and sends no new one",
    ),
    Fault(
        "000-63", MAIN + "PackageStages/MediaFinder.swift",
        "MediaValue(state: rule.isEvictable ? .evicted : .missing, name: name)",
        "MediaValue(state: .missing, name: name)",
        "ScenarioTests.StoryFieldTests/media files are distinguished by their outcome",
    ),
    Fault(
        "000-74", MAIN + "Reporting/Listening/RunLog.swift",
        'for name in ["run", "records", "media", "entities"] {',
        'for name in ["run", "records", "media", "entities", "findings"] {',
        "ScenarioTests.RunLogTests/no value of a record and no secret is in the log or the metrics",
    ),
    Fault(
        "001-2", MAIN + "Destinations/HTTPTransport/Answers/Meaning.swift",
        "case 400...499: self = .faulty(status: answer.status, code: code, reason: reason)",
        "case 400...499: self = .later(pause: pause, reason: reason)",
        "DestinationKindsTests.SingleItemTests/every status has its meaning for an update",
    ),
    Fault(
        "001-7", MAIN + "Destinations/HTTPTransport/Answers/PauseHint.swift",
        'for name in ["Retry-After", "X-Retry-After"] {',
        'for name in ["X-Retry-After"] {',
        "DestinationKindsTests.PauseTests/the wait is read from headers",
    ),
    Fault(
        "001-11", MAIN + "Model/Profiles/RouteReader.swift",
        'TemplateMember(name: "Authorization", text: "Bearer {token}")',
        'TemplateMember(name: "Authorization", text: "{token}")',
        "DestinationKindsTests.SessionTests/a session signs in once and sends the token from then on",
    ),
    Fault(
        "001-15", MAIN + "Destinations/REST/TokenLife.swift",
        "now + max(life - Double(margin.components.seconds), life / 2)",
        "now + max(life, life / 2)",
        "DestinationKindsTests.TokenLifeTests/a token is renewed five minutes before its end, however that is stated",
    ),
    Fault(
        "001-28", MAIN + "Sync/UploadPlanning/UploadEngine+Steps.swift",
        "return tracked.isEmpty && waiting.isEmpty && committing.isEmpty && flights.isEmpty",
        "return waiting.isEmpty && committing.isEmpty && flights.isEmpty",
        "UploadPlanningTests.EngineSendingTests/the next phase begins when every operation of this one is settled on the disk",
    ),
    Fault(
        "001-33", MAIN + "Sync/UploadPlanning/UploadEngine+Steps.swift",
        "    phase += 1\n",
        "    phase = policy.phases.count\n",
        "UploadPlanningTests.EngineSendingTests/the next phase begins when every operation of this one is settled on the disk",
    ),
    Fault(
        "001-39", MAIN + "Sync/Reconciliation/Judge+Policy.swift",
        "case .remote: merged.lost.insert(name)",
        "case .remote: merged.values[name] = sides.wanted",
        "ScenarioTests.ConflictTests/001-39 merge: a field that both sides changed without a rule keeps the remote's value, and is listed",
    ),
    Fault(
        "001-47", MAIN + "Sync/UploadPlanning/UploadEngine+Decisions.swift",
        "guard let entry = tracked[number], !entry.mayHaveArrived else { return }",
        "guard let entry = tracked[number], entry.mayHaveArrived else { return }",
        "UploadPlanningTests.EnginePatienceTests/a deferred operation is planned again on the disk",
    ),
    Fault(
        "001-48", MAIN + "Retrying/RetryPolicy.swift",
        "{ wait = min(wait * factor, longest) }",
        "{ wait = min(wait, longest) }",
        "RetryingTests.RetryPolicyTests/the defaults are three more attempts, after a second and at most after thirty",
    ),
    Fault(
        "001-50", MAIN + "Model/Profiles/SecretRules.swift",
        "entity.holdsPreferences && !except.contains(attribute) && SecretNames.contains(attribute)",
        "entity.holdsPreferences && !except.contains(attribute) && attribute.isEmpty",
        "ScenarioTests.SecretTests/keys whose names hint at a secret stay out of the package and are named",
    ),
    Fault(
        "001-53", MAIN + "CommandOutput/Screen.swift",
        r'write("\(stage.rawValue) …\(place.map { " (\($0))" } ?? "")\n")',
        r'write(place.map { " (\($0))" } ?? "")',
        "ScenarioTests.StoryFieldTests/one command runs every stage and prints the current one",
    ),
    Fault(
        "001-59", MAIN + "Sync/Planning/EntityPass.swift",
        "for member in members { unmapped[member, default: 0] += 1 }",
        "for member in members where member.isEmpty { unmapped[member, default: 0] += 1 }",
        "ScenarioTests.StoryFieldTests/a hero gets an age and a story a language, and unmapped fields are named",
    ),
    Fault(
        "002-3", "Samples/streaksync/cloudkit.profile.yaml",
        "    role: derived\n",
        "    role: own\n",
        "ScenarioTests.StreakSyncCloudTests/imported texts and preferences are migrated, repeated from a new device, and rolled back",
    ),
    Fault(
        "002-5", "Samples/streaksync/cloudkit.profile.yaml",
        "      conflict: remote\n",
        "      conflict: local\n",
        "ScenarioTests.StreakSyncCloudTests/same id on two devices: another score is found, listed, and changes nothing there",
    ),
    Fault(
        "002-6", MAIN + "Sync/Planning/PlanDrafting.swift",
        "    if let reason = made.keptRemote {\n",
        "    if let reason = made.keptRemote, reason.isEmpty {\n",
        "ScenarioTests.StreakSyncCloudTests/same id on two devices: another score is found, listed, and changes nothing there",
    ),
    Fault(
        "002-9", MAIN + "Sync/SyncReading/AccountNames.swift",
        "if first == nil { first = name }",
        "if name.isEmpty { first = name }",
        "ScenarioTests.StreakSyncCloudTests/preferences of another person's cloud are refused on the first run",
    ),
    Fault(
        "002-12", MAIN + "Sync/Execution/RunPolicy.swift",
        "batchLimit: min(limit == 1 ? Self.singlesAtOnce : limit, batchLimit ?? .max),",
        "batchLimit: limit == 1 ? Self.singlesAtOnce : limit,",
        "ScenarioTests.StreakSyncCloudTests/50 results are one request, or ten with batches of five",
    ),
    Fault(
        "002-16", MAIN + "Destinations/CloudKitWeb/CloudKitDestination+Reading.swift",
        "let token = place.token ?? since\n",
        "let token = place.token\n",
        "DestinationKindsTests.CloudKitTests/all records are listed page by page, and later only changed and deleted ones",
    ),
    Fault(
        "002-23", MAIN + "Destinations/CloudKitWeb/CloudKitDestination+Records.swift",
        "case .zone: return await makeZone()",
        'case .zone: return .refused("no zone")',
        "DestinationKindsTests.CloudKitTests/the zone is created first, in a separate step",
    ),
    Fault(
        "002-31", MAIN + "Destinations/CloudKitWeb/CloudKitDestination+Preflight.swift",
        "if cloudKit.environment == .development {",
        "if cloudKit.environment != .development {",
        "DestinationKindsTests.CloudKitTests/missing routes are reported before any request",
    ),
    Fault(
        "002-45", MAIN + "Destinations/CloudKitWeb/CloudFailure.swift",
        'case Self.neighbour: return .outcome(.deferred(reason: sentence))',
        'case Self.neighbour: return .outcome(.unknown(reason: sentence))',
        "DestinationKindsTests.CloudKitAnswerTests/a record's error is classified by its code",
    ),
    Fault(
        "002-53", MAIN + "Sync/UploadPlanning/UploadEngine+Events.swift",
        "if case .splittable = answer.whole, operations.count > 1 {",
        "if case .splittable = answer.whole, operations.count > 2 {",
        "UploadPlanningTests.EnginePatienceTests/a refused batch is halved down to the bad item, which alone is rejected",
    ),
    Fault(
        "002-67", MAIN + "Destinations/CloudKitWeb/CloudFields.swift",
        "members[field.name] = type.fields[field.name].map { Self.decoded(value, $0) } ?? value",
        "members[field.name] = value",
        "DestinationKindsTests.CloudKitTests/every type of field is read back as it was sent",
    ),
    Fault(
        "003-8", MAIN + "StoreWriting/WriteBackFile.swift",
        'guard ["carried", "folded"].contains(operation["outcome"]?.text ?? ""),',
        'guard ["folded"].contains(operation["outcome"]?.text ?? ""),',
        "ScenarioTests.PeatedDeviceTests/the app's own replay after the write-back makes nothing twice",
    ),
    Fault(
        "003-16", MAIN + "Destinations/REST/RESTDestination+Reading.swift",
        "if let parameter = list.since, let value = since.flatMap({ parameter.value(of: $0) }),",
        "if let parameter = list.since, let value = since.flatMap({ parameter.value(of: $0) }), value.isEmpty,",
        "DestinationKindsTests.ReadingTests/a list asks for changes since a cursor",
    ),
    Fault(
        "003-28", MAIN + "Sync/Planning/AskedConflicts.swift",
        '"local": isDeletedHere ? .null : .object(here),',
        '"local": .null,',
        "ScenarioTests.ConflictTests/000-45, 004-11 ask: both sides are recorded, and the next run applies the answer",
    ),
    Fault(
        "003-34", MAIN + "Sync/Planning/UploadPlanner+Queue.swift",
        "if carried == 0, unsettled > 0 {",
        "if carried > 0, unsettled > 0 {",
        "ScenarioTests.PeatedDeviceTests/a queue of which nothing is replayed ends with status 3",
    ),
    Fault(
        "004-1", "Samples/noted/mac.profile.yaml",
        "2: update, 3: delete, 4: conflict }\n      deleted: deletedAt\n      version",
        "2: synced, 3: delete, 4: conflict }\n      deleted: deletedAt\n      version",
        "ScenarioTests.NotedMacTests/changes and deletions in the app are sent",
    ),
    Fault(
        "004-14", MAIN + "Sync/UploadPlanning/UploadEngine+Decisions.swift",
        "if entry[keyPath: attempts] > policy.retry.limit, endsRun, end == nil {",
        "if endsRun, end == nil {",
        "ScenarioTests.NotedTests/with kills and lost answers, each record exists once, and all are rolled back",
    ),
]

#: Numbers whose tests once stayed green whatever the product did.
MORE = [
    Fault(
        "000-4", MAIN + "Sync/Checkpoint/CheckpointView+WriteBack.swift",
        "CASE WHEN max(code = 'plan.conflict') THEN 'conflicted' ELSE 'failed' END, NULL",
        "'conflicted', NULL",
        "ScenarioTests.WriteBackApplyTests/a refused record is failed with its reason, and its row stays",
    ),
    Fault(
        "000-20", MAIN + "Model/RequestMapping/RequestProgram+Claim.swift",
        'let text = reader.text(state) ?? ""',
        'let text = reader.text(state)?.lowercased() ?? ""',
        "ProfilesTests.ShippedProfileTests/each sync state of the app has its meaning",
    ),
    Fault(
        "000-68", MAIN + "Sync/UploadPlanning/UploadEngine.swift",
        "self.batchLimit = policy.phases.first?.batchLimit ?? 1",
        "self.batchLimit = 1",
        "UploadPlanningTests.EngineSendingTests/a request is as full as its limit lets it be",
    ),
    Fault(
        "004-7", MAIN + "Destinations/Changeset/ChangesetDestination+Pushing.swift",
        r"body[push.table.rows.name] = .array(rows.map { .object($0.row) })",
        r"body[push.table.rows.name] = .array(rows.dropFirst().map { .object($0.row) })",
        "ScenarioTests.NotedTests/the store is migrated, repeated without a push, changed, and rolled back",
    ),
]


def numbers() -> list[str]:
    """All numbers, list by list."""
    found = []
    for name, ranges in LISTS.items():
        for part in ranges.split():
            first, _, last = part.partition("-")
            found += [f"{name}-{number}" for number in range(int(first), int(last or first) + 1)]
    return found


def drawn() -> list[str]:
    """The numbers that are drawn, in the order of the lists."""
    whole = numbers()
    return sorted(random.Random(SEED).sample(whole, COUNT), key=whole.index)


def test_source(test: str) -> str | None:
    """The file that has a test, if there is one."""
    module, _, rest = test.partition(".")
    suite, _, name = rest.partition("/")
    for folder in PROJECT.glob(f"Tests/**/{module}"):
        for path in folder.rglob("*.swift"):
            text = path.read_text()
            if f"`{name}`" in text and re.search(rf"(struct|extension) `?{re.escape(suite)}`?\b", text):
                return text
    return None


def names(source: str, test: str, number: str) -> bool:
    """Whether the comment before a test, or its name, has a number."""
    name = test.partition("/")[2]
    before = source[: source.index(f"`{name}`")]
    comment = before[before.rfind("\n\n") :]
    return re.search(rf"\b{number}\b", comment + name) is not None


def complaints() -> list[str]:
    """What does not fit any more."""
    found = []
    if [fault.number for fault in FAULTS] != drawn():
        found.append(f"FAULTS has other numbers than seed {SEED} draws: {' '.join(drawn())}")
    for fault in FAULTS + MORE:
        path = PROJECT / fault.path
        count = path.read_text().count(fault.old) if path.exists() else 0
        if count != 1:
            found.append(f"{fault.number}: the edit fits {fault.path} in {count} places")
        source = test_source(fault.test)
        if source is None:
            found.append(f"{fault.number}: there is no test {fault.test}")
        elif not names(source, fault.test, fault.number):
            found.append(f"{fault.number}: the test does not name it: {fault.test}")
    return found


def swift_test(test: str) -> bool:
    """Builds and runs one test; says whether it passed."""
    suite, _, name = test.partition("/")
    command = ["swift", "test", "--filter", f"{re.escape(suite)}/.?{re.escape(name)}"]
    environment = os.environ | {"FERRY_TESTS": "all"}
    return subprocess.run(command, cwd=PROJECT, check=False, env=environment).returncode == 0


def given(command: str, test: str) -> bool:
    """Runs a test by a command of the person's own."""
    return subprocess.run([*command.split(), test], cwd=PROJECT, check=False).returncode == 0


def run(fault: Fault, command: str | None) -> bool:
    """Puts one fault in, runs its test, and takes the fault out; says whether the test failed."""
    path = PROJECT / fault.path
    text = path.read_text()
    try:
        path.write_text(text.replace(fault.old, fault.new))
        passed = given(command, fault.test) if command else swift_test(fault.test)
    finally:
        path.write_text(text)
    return not passed


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--check", action="store_true")
    choice.add_argument("--list", action="store_true")
    choice.add_argument("--run", nargs="*", metavar="NUMBER")
    parser.add_argument("--with", dest="command", metavar="COMMAND")
    options = parser.parse_args()
    if options.list:
        for fault in FAULTS + MORE:
            print(f"{fault.number}\t{fault.path}\t{fault.test}")
        return 0
    wrong = complaints()
    for line in wrong:
        print(line, file=sys.stderr)
    if options.check or wrong:
        return 1 if wrong else 0
    green = 0
    for fault in FAULTS + MORE:
        if options.run and fault.number not in options.run:
            continue
        is_red = run(fault, options.command)
        green += not is_red
        print(f"{fault.number}\t{'red' if is_red else 'GREEN'}\t{fault.test}", flush=True)
    return 1 if green else 0


if __name__ == "__main__":
    sys.exit(main())
