import Checkpoint
import Files
import JSONText
import RunHistory
import StageSupport
import TestSupport
import Testing
import UploadPlanning

struct ListedRunTests {
  private func end(_ stage: RunRecord.Stage, isHeld: Bool = false) -> RunEnd {
    var run = RunRecord(
      id: "2735d6-1",
      number: 1,
      kind: .upload,
      stage: .planning,
      package: "",
      packagePath: "/p/a.ferry",
      undoes: nil,
      profile: "aaaa",
      startedAt: 1_000,
      finishedAt: nil
    )
    run.stage = stage
    return RunEnd(run, rollback: nil, isHeld: isHeld)
  }

  @Test(arguments: [
    (RunRecord.Stage.planning, RunEnd.interrupted), (.executing, .interrupted),
    (.finished, .finished), (.abandoned, .givenUp),
  ])
  func `a run of no process is interrupted unless it ended`(
    stage: RunRecord.Stage,
    expected: RunEnd
  ) {
    #expect(end(stage) == expected)
  }

  @Test(arguments: [RunRecord.Stage.planning, .executing])
  func `a run whose checkpoint a process holds is at work`(stage: RunRecord.Stage) {
    #expect(end(stage, isHeld: true) == .atWork)
  }

  @Test func `a killed run is interrupted, and names the commands that resume it and undo it`()
    async throws
  {
    try await withState { bench in
      var file: CheckpointFile? = try bench.open()
      let run = try bench.begin(try #require(file), confirmed: 2)
      #expect(try ListedRun.all(in: [bench.state]).runs.map(\.end) == [.atWork])
      file = nil
      let listed = try #require(try ListedRun.all(in: [bench.state]).runs.first)
      #expect(listed.end == .interrupted)
      let text = RunListText(state: bench.state, isUsual: true)
      let lines = text.lines(listed)
      #expect(lines.contains("  changes:  2 of 3 done, 0 refused, 0 in conflict"))
      #expect(lines.contains("  resume:   ferry resume \(run.id)"))
      #expect(lines.contains("  undo:     ferry rollback \(run.id)"))
      #expect(text.value(listed)["ended"] == "interrupted")
    }
  }

  @Test func `a refused change of a run is not counted among those that were done`() async throws {
    try await withState { bench in
      let file = try bench.open()
      let run = try bench.begin(file, confirmed: 2)
      let last = try file.operations(of: run, phase: 0, after: 2, limit: 1).map(\.number)
      try file.commit(
        last.map { .reject($0, code: "http.409", reason: "title exists") },
        now: 1_010
      )
      let listed = try #require(try ListedRun.all(in: [bench.state]).runs.first)
      let lines = RunListText(state: bench.state, isUsual: true).lines(listed)
      #expect(lines.contains("  changes:  2 of 3 done, 1 refused, 0 in conflict"))
    }
  }

  @Test
  func `a run is not offered for an undo that the run at work on its checkpoint would refuse`()
    async throws
  {
    try await withState { bench in
      var file: CheckpointFile? = try bench.open()
      let open = try #require(file)
      let first = try bench.begin(open, operations: 1, confirmed: 1)
      try open.setStage(.finished, of: first, now: 1_009)
      let last = try bench.begin(open, confirmed: 2)
      let text = RunListText(state: bench.state, isUsual: true)
      let atWork = try ListedRun.all(in: [bench.state]).runs
      #expect(atWork.map(\.end) == [.finished, .atWork])
      for run in atWork {
        #expect(!text.lines(run).contains { $0.hasPrefix("  undo:") })
        #expect(text.value(run)["undo"] == .null)
      }
      // A run that is read back has ended, and its process holds the checkpoint still.
      try open.setStage(.finished, of: last, now: 1_020)
      #expect(try ListedRun.all(in: [bench.state]).runs.map(\.canBeRolledBack) == [false, false])
      file = nil
    }
    try await withState { bench in
      var file: CheckpointFile? = try bench.open()
      _ = try bench.begin(try #require(file), confirmed: 2)
      file = nil
      #expect(try ListedRun.all(in: [bench.state]).runs.map(\.canBeRolledBack) == [true])
    }
  }

  @Test func `a run that was rolled back names its rollback, and no undo`() async throws {
    try await withState { bench in
      let file = try bench.open()
      let run = try bench.begin(file, operations: 1, confirmed: 1)
      try file.setStage(.finished, of: run, now: 1_009)
      let undo = try bench.begin(file, undoes: run, operations: 0)
      try file.setStage(.finished, of: undo, now: 1_020)
      let listed = try ListedRun.all(in: [bench.state]).runs
      #expect(listed.map(\.end) == [.rolledBack(by: undo.id), .finished])
      #expect(listed.map(\.canBeRolledBack) == [false, false])
    }
  }

  @Test(arguments: [RunRecord.Stage.planning, .executing])
  func `a run whose rollback was interrupted is not called finished, and keeps its undo`(
    stage: RunRecord.Stage
  ) async throws {
    try await withState { bench in
      let (run, undo) = try {
        let file = try bench.open()
        let run = try bench.begin(file, operations: 1, confirmed: 1)
        try file.setStage(.finished, of: run, now: 1_009)
        let undo = try bench.begin(file, undoes: run, operations: 1)
        try file.setStage(stage, of: undo, now: 1_010)
        let listed = try ListedRun.all(in: [bench.state]).runs
        #expect(listed.map(\.end) == [.rollbackUnfinished(by: undo.id), .atWork])
        // The rollback itself is at work.
        #expect(listed.map(\.canBeRolledBack) == [false, false])
        return (run, undo)
      }()
      let listed = try ListedRun.all(in: [bench.state]).runs
      #expect(listed.map(\.end) == [.rollbackUnfinished(by: undo.id), .interrupted])
      #expect(listed.map(\.canBeRolledBack) == [true, false])
      #expect(try FoundRun(run.id, in: bench.state).runBeingRolledBack() == run.id)
      #expect(try FoundRun(undo.id, in: bench.state).runBeingRolledBack() == run.id)
      try bench.open().setStage(.finished, of: undo, now: 1_020)
      #expect(try FoundRun(run.id, in: bench.state).runBeingRolledBack() == nil)
    }
  }

  @Test func `a finished run that changed nothing has no undo`() async throws {
    try await withState { bench in
      let file = try bench.open()
      let run = try bench.begin(file, operations: 0)
      try file.setStage(.finished, of: run, now: 1_009)
      #expect(try ListedRun.all(in: [bench.state]).runs.map(\.canBeRolledBack) == [false])
    }
  }

  @Test func `a state folder that needs a flag is named in the next commands`() {
    let state = StateFolder(path: "/var/my state")
    let command = RunCommand("resume", "2735d6-1", state: state, isUsual: false)
    #expect(command.text == "ferry resume 2735d6-1 --state-dir '/var/my state'")
  }

  // MARK: - Names

  @Test func `the only run whose name begins so is found`() async throws {
    try await withState { bench in
      let run = try bench.begin(try bench.open())
      #expect(try FoundRun(String(run.id.prefix(3)), in: bench.state).run.id == run.id)
      #expect(try FoundRun(run.id, in: bench.state).run.id == run.id)
    }
  }

  @Test func `what two runs begin with is refused with both names`() async throws {
    try await withState { bench in
      let file = try bench.open()
      let first = try bench.begin(file, operations: 0)
      try file.setStage(.finished, of: first, now: 1_001)
      let second = try bench.begin(file, operations: 0)
      let error = #expect(throws: MigrationError.self) {
        try FoundRun(String(first.id.prefix(6)), in: bench.state)
      }
      #expect(error?.description.contains("\(first.id), \(second.id)") == true)
    }
  }

  @Test func `a name with a number never means a longer number`() async throws {
    try await withState { bench in
      let file = try bench.open()
      for _ in 1...10 {
        let run = try bench.begin(file, operations: 0)
        try file.setStage(.finished, of: run, now: 1_001)
      }
      let start = StateFolder.runName(of: file.binding)
      #expect(try FoundRun("\(start)-1", in: bench.state).run.number == 1)
      #expect(throws: MigrationError.self) { try FoundRun("\(start)-0", in: bench.state) }
    }
  }

  @Test func `a run of a fleet's store is listed with its state folder, and found by its name`()
    async throws
  {
    try await withState { bench in
      let store = bench.state.ofFleetStore("a-1")
      let run = try {
        try bench.begin(try StateBench(in: store.path).open("store-2"), confirmed: 1)
      }()
      let listed = try #require(try ListedRun.all(inAndBelow: bench.state).runs.first)
      #expect(listed.state == store)
      let undo = RunListText(state: bench.state, isUsual: true).value(listed)["undo"]
      #expect(undo == .string("ferry rollback \(run.id) --state-dir \(store.path.quotedForShell)"))
      #expect(try FoundRun(run.id, inOrBelow: bench.state).state == store)
      #expect(throws: MigrationError.self) { try FoundRun(run.id, in: bench.state) }
    }
  }

  @Test func `a run of the state folder comes before one of the same name of a fleet's store`()
    async throws
  {
    try await withState { bench in
      let run = try bench.begin(try bench.open())
      for name in ["a-1", "b-2"] {
        _ = try bench.begin(try StateBench(in: bench.state.ofFleetStore(name).path).open())
      }
      #expect(try FoundRun(run.id, inOrBelow: bench.state).state == bench.state)
      try Folder.remove(bench.state.checkpoints.path)
      let error = #expect(throws: MigrationError.self) {
        try FoundRun(run.id, inOrBelow: bench.state)
      }
      #expect(error?.description.contains("/fleet/b-2/state") == true)
    }
  }

  @Test(arguments: ["", "zz", "none-9"])
  func `a name that no run has is unknown`(name: String) async throws {
    try await withState { bench in
      _ = try bench.begin(try bench.open())
      let error = #expect(throws: MigrationError.self) { try FoundRun(name, in: bench.state) }
      #expect(error?.description == "no run is called \(name)")
    }
  }
}
