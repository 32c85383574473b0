import Foundation
import TestSupport
import Testing

extension Faults {
  /// What a power cut leaves, distinguished from the calls of the real program.
  @Suite(
    .serialized,
    .enabled(if: Injector.isAvailable, "skipped: no C compiler, or not Linux")
  )
  struct Durability {
    /// Where sources wait for the disk that none of the deeds comes by, and why.
    static let unreached: [String: String] = [
      // A web token that CloudKit gives in place of the one before: needs its own server, and is
      // replaced as a report is.
      "Destinations/DestinationModel/Credentials/CredentialReader.swift":
        "WholeFile.replace(path, with: Array(",
      // More files than are held open at once: they are waited for as those of the journal are.
      "ExportPackage/PackageWriter.swift": "if unsynced.isFull",
      // Files that are fetched wait beside their package until it is finished, and are placed as
      // every whole file is; they need a server of media.
      "Destinations/HTTPTransport/Fetching/MediaFetcher.swift": "WholeFile.place(draft, at: path)",
      "Destinations/HTTPTransport/HTTPTransport+Download.swift": "file.finish()",
      "PackageStages/FetchedMedia.swift": "try",
      // Conflicts that a plan asks about are written as a write-back is.
      "Sync/Planning/AskedConflicts.swift": "try",
      // A store with what a write-back says is copied to its place as every whole file is.
      "StoreWriting/WriteBackApplication.swift": "WholeFile.copy(copy.path, to: target)",
      // The script itself waits.
      "RowExport/RowExportStage.swift": "script.finish()",
      // A package gets the name of one that is being removed: either name may be there after a power cut.
      "RunHistory/PrunePlan.swift": "Folder.publish(item.path, as: grave)",
    ]
  }
}

extension Faults.Durability {
  @Test func `a crash at any call of an export leaves no incomplete package`() async throws {
    let record = try await Self.export()
    let history = record.history()
    let rules = record.rules(history)
    var states = 0
    var violations: [String] = []
    for number in 0...record.end {
      for state in record.states(history, number) {
        states += 1
        if let violation = rules.violation(state, after: number, package: "p.ferry") {
          violations.append("after call \(number), \(record.name(number)): \(violation)")
        }
      }
    }
    print("crash states of an export: \(states), seed \(Faults.Kills.seed)")
    #expect(states > 1_000)
    #expect(violations.isEmpty)
  }

  @Test func `an export without any one of its syncs or renames would lose data`()
    async throws
  {
    let record = try await Self.export()
    let rules = record.rules(record.history())
    let own = record.calls.filter { ($0.isSync || $0.kind == "rename") && $0.error == 0 }
    var survivors: [String] = []
    for call in own where !record.breaks(rules, without: [call.number]) {
      survivors.append("\(call.number) \(call.kind) \(call.path)")
    }
    print("durability mutants of an export: \(own.count), survivors \(survivors)")
    #expect(own.count > 8)
    #expect(survivors.isEmpty)
  }

  @Test func `a file that a killed export renamed is synced by the next run`()
    async throws
  {
    let once = try await Self.export()
    let named = try #require(
      once.calls.first { $0.kind == "rename" && $0.other.hasSuffix("/p.ferry") }
    )
    let waiting = try #require(
      once.calls.first { $0.isSync && $0.number > named.number }
    )
    let fault = Fault(action: .killBefore, call: waiting.number)
    let twice = try await Self.export([fault, nil])
    let history = twice.history()
    let goal = history.whole(after: twice.end).tree().filter { $0.key.hasPrefix("p.ferry/") }
    #expect(goal.count > 10)
    for state in history.mainStates(after: twice.end) {
      #expect(state.tree().filter { $0.key.hasPrefix("p.ferry/") } == goal)
    }
  }

  @Test(
    .enabled(
      if: CallPlace.symbolizer != nil
        && ProcessInfo.processInfo.environment["FERRY_PROGRAM"] == nil,
      "skipped: places in the sources cannot be determined"
    )
  )
  func `every sync and rename of an export is needed for its durability`()
    async throws
  {
    var needed: [CallPlace: String] = [:]
    var reached: Set<CallPlace> = []
    try await Stage.with { stage in
      for durableAction in DurableAction.all.flatMap({ [$0, $0.fileByFile] }) {
        let run = try await durableAction.record(on: stage)
        let rules = LastingRules(run)
        let violation = rules.violation(run.history())
        #expect(violation == nil, "\(durableAction.name)")
        let package = durableAction.writesPackage ? run.rules(run.history()) : nil
        for (place, numbers) in try run.places(in: stage.lane.program.path) {
          reached.insert(place)
          guard needed[place] == nil else { continue }
          let isNeeded =
            rules.violation(run.history(without: numbers)) != nil
            || package.map { run.breaks($0, without: numbers) } ?? false
          if isNeeded { needed[place] = durableAction.name }
        }
      }
    }
    for (place, durableAction) in needed.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      print("needed: \(place), by \(durableAction)")
    }
    let idle = reached.filter { needed[$0] == nil }.map(\.description).sorted()
    #expect(idle.isEmpty)
    let lines = Set(reached.flatMap(\.lines))
    let unmet = try CallPlace.expected().filter { line, text in
      let isExcused = Self.unreached[line.file].map { text.contains($0) } ?? false
      return !lines.contains(line) && !isExcused
    }
    #expect(unmet.map { "\($0.key.file): \($0.value)" }.sorted() == [])
    print("durability mutants: \(needed.count) of \(reached.count) caught")
  }

  /// The calls of an export, with the bytes it wrote; of several, one after the other, of which the
  /// last comes to its end.
  ///
  /// It writes no report: that waits for the folder too, and would cover up what the package lacks.
  private static func export(_ faults: [Fault?] = [nil]) async throws -> WatchedRun {
    try await Stage.with { stage in
      let scene = try await stage.scene(.export)
      let start = try CrashDisk(of: scene.folder)
      let log = "\(stage.logs)/export"
      for (place, fault) in faults.enumerated() {
        let finished = try await stage.lane.program.run(
          Array(scene.line.dropLast(2)),
          environment: stage.injector.environment(
            watching: scene.folder,
            log: log,
            data: log + ".data",
            fault: fault
          ),
          state: scene.state
        )
        let isLast = place == faults.count - 1
        #expect(isLast ? finished.status == 0 : finished.wasKilled, "\(finished.standardError)")
      }
      return try WatchedRun(start: start, log: log)
    }
  }
}
