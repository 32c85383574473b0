package import Records

// What several of planning, execution and verification report.

extension Finding {
  /// Something that the destination has no place for; a note once the team has accepted it.
  ///
  /// Of a key, the destination has an identity that is made of it.
  package static func unmapped(
    _ entity: EntityName,
    member: String?,
    count: Int,
    isAccepted: Bool,
    isKey: Bool = false
  ) -> Finding {
    let name = member.map { "\(entity).\($0)" } ?? entity.text
    let cause =
      isKey
      ? "the destination's IDs are made of \(name), and no field has the key itself"
      : "the destination has no place for \(name)"
    let cure = "list `\(name)` under `accept-unmapped` in the profile once the team has agreed"
    return Finding(
      code: "plan.unmapped",
      severity: isAccepted ? .note : .warning,
      entity: entity,
      cause: "\(cause) (\(count.counted("record")))",
      cure: isAccepted
        ? "none is needed: it stays in the package, as `accept-unmapped` in the profile says"
        : isKey
          ? "give `\(member ?? "")` a field of its own in `body`, or \(cure)"
          : "it stays in the package; \(cure)"
    )
  }

  /// What is done about a list that is without records whose own addresses answer.
  package static let retiring =
    "where the server only retires what it removes, write `presence: list` under `read` in the profile, or `gone` "
    + "with the member that marks a retired record"

  /// Records that are like those of the store, and are not that a run is known to have made.
  package static func duplicates(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "destination.duplicate",
      severity: .warning,
      entity: entity,
      cause: "the destination holds \(count.counted("more record")) like those of the store: "
        + "another device made them, or a request that came twice",
      cure:
        "`ferry verify` lists them: check whether another device made them, and remove at the destination "
        + "every extra one; a rollback of the run removes what a repeated request made"
    )
  }

  /// A file, or parts of it, that could not be removed again.
  package static func orphaned(_ record: RecordID) -> Finding {
    Finding(
      code: "media.orphaned",
      severity: .warning,
      entity: record.entity,
      record: record.key,
      cause: "the file, or parts of it, may be left at the destination",
      cure: "remove it there, or abort its unfinished upload into the bucket; most services do so "
        + "by themselves after some days"
    )
  }

  /// Whether this is of a file that may be left at the destination.
  package var isOrphaned: Bool { code == "media.orphaned" }
}
