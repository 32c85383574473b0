import Files
package import Simulation

/// What a range of histories of whole sessions came to.
extension Tally {
  /// Lives the histories of every `stride`th seed through, below `folder`.
  package mutating func liveSessions(
    from first: UInt64,
    through last: UInt64,
    stride: UInt64,
    on host: SessionHost? = nil,
    in folder: String
  ) async {
    var seed = first
    while seed <= last {
      let (history, violations) = await Self.lived(seed, on: host, in: folder, logs: false)
      historyCount += 1
      crashCount += history?.crashCount ?? 0
      stepCount += history?.requestCount ?? 0
      if !violations.isEmpty { broken.append((seed, violations)) }
      seed += stride
    }
  }

  /// Lives one history of whole sessions through, and prints it.
  package static func session(
    of seed: UInt64,
    on host: SessionHost? = nil,
    in folder: String
  ) async -> (story: [String], violations: [String]) {
    let (history, violations) = await lived(seed, on: host, in: folder, logs: true)
    return (history?.story ?? [], violations)
  }

  /// Lives one history of whole sessions through, and gives what each command came to.
  package static func trace(
    of seed: UInt64,
    on host: SessionHost? = nil,
    in folder: String
  ) async -> [String] {
    let (history, violations) = await lived(seed, on: host, in: folder, logs: false, traces: true)
    return ["seed \(seed)"] + (history?.trace ?? []) + violations.map { "VIOLATION \($0)" }
  }

  private static func lived(
    _ seed: UInt64,
    on host: SessionHost?,
    in folder: String,
    logs: Bool,
    traces: Bool = false
  ) async -> (SessionHistory?, [String]) {
    let place = "\(folder)/\(seed)"
    do {
      try Folder.make(place)
      try await host?.clear()
      var history = try SessionHistory(
        seed: seed,
        folder: place,
        on: host,
        logs: logs,
        traces: traces
      )
      let violations = try await history.live()
      try Folder.remove(place)
      return (history, violations)
    } catch {
      return (nil, ["\(error)"])
    }
  }
}
