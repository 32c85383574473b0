package import Records

// What several of planning, execution and verification report.

extension Finding {
  /// Something that the destination has no place for; a note once the team has accepted it.
  package static func unplaced(
    _ entity: EntityName,
    member: String?,
    count: Int,
    isAccepted: Bool
  ) -> Finding {
    let name = member.map { "\(entity).\($0)" } ?? entity.text
    return Finding(
      code: "plan.unplaced",
      severity: isAccepted ? .note : .warning,
      entity: entity,
      cause: "the destination has no place for \(name) (\(count) record(s))",
      cure: "it stays in the package; list `\(name)` under `accept-unplaced` in the profile "
        + "once the team has agreed"
    )
  }

  /// Records that are like those of the store, and are none that a run is known to have made.
  package static func surplus(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "destination.surplus",
      severity: .warning,
      entity: entity,
      cause: "the destination holds \(count) more record(s) that are like records of the store: "
        + "another device made them, or a request that came twice",
      cure: "`ferry verify` lists them: see whether another device made them, and remove there "
        + "what is one too many; what a repeated request made goes with a rollback of its run"
    )
  }

  /// A file, or parts of it, that could not be taken away again.
  package static func stray(_ record: RecordID) -> Finding {
    Finding(
      code: "media.stray",
      severity: .warning,
      entity: record.entity,
      record: record.key,
      cause: "the file, or parts of it, may be left at the destination",
      cure: "remove it there, or abort its unfinished upload into the bucket; most services do so "
        + "by themselves after some days"
    )
  }

  /// Whether this is of a file that may be left at the destination.
  package var isStray: Bool { code == "media.stray" }
}
