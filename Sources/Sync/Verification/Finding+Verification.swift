import Records
import RequestMapping
import SyncReading

// What a verification found.

extension Finding {
  /// A record that cannot be compared, for a reason that lies here.
  static func refused(_ record: RecordID, _ refusal: MappingError) -> Finding {
    verification(
      record,
      refusal.code,
      refusal.reason,
      cure: "run `ferry migrate` or `ferry upload` again"
    )
  }

  /// A record that is there as it was sent, and whose file never was.
  static func withoutFile(_ record: RecordID, _ members: Set<String>) -> Finding {
    verification(
      record,
      "verify.unsent",
      "the file for \(words(members)) was not sent, so it is not at the destination",
      cure: "run `ferry migrate` or `ferry upload` again; if the file was refused, correct it first"
    )
  }

  /// A record that no run sent.
  static func unsent(_ record: RecordID, _ rival: EntityComparison.Rival) -> Finding {
    let (there, cure) =
      switch rival {
      case .none:
        (
          "or it was rolled back, so it is not at the destination",
          "run `ferry migrate` or `ferry upload` again; if it was refused, correct the record first"
        )
      case .other:
        (
          "and the destination has other content in its place",
          "see what the run said of it; a run with --on-conflict local sends the store's content"
        )
      case .unjudged:
        (
          "and the destination has a record in its place",
          "see what the run said of it, and run `ferry migrate` or `ferry upload` again"
        )
      }
    return verification(record, "verify.unsent", "it was not sent, \(there)", cure: cure)
  }

  /// A record that the destination does not list; `isAsked` where its own address says as well that it is gone.
  static func missing(_ record: RecordID, isAsked: Bool) -> Finding {
    verification(
      record,
      "verify.missing",
      isAsked ? "the destination no longer has it" : "the destination no longer lists it",
      cure: "find out who removed it; a run with --full and --on-conflict local sends it again"
    )
  }

  /// A record that the destination does not list, and whose own address answers.
  static func unlisted(_ record: RecordID) -> Finding {
    verification(
      record,
      "verify.missing",
      "the destination does not list it, and its own address still answers",
      cure: "verify again later, if new records are listed late; \(retiring)"
    )
  }

  /// Why a record has other values at the destination than in the package.
  enum DifferenceOrigin {
    /// The destination showed them as soon as it was first read back.
    case altered
    /// The store's were not sent.
    case unsent
    case unknown
  }

  static func different(
    _ record: RecordID,
    _ members: Set<String>,
    _ origin: DifferenceOrigin
  ) -> Finding {
    let (cause, cure) =
      switch origin {
      case .altered:
        (
          "the destination did not keep \(words(members)) as it was sent",
          "correct the value in the app, or write in the profile how the destination spells it (`compare`); a run "
            + "with --full and --on-conflict remote takes the destination's value, with local it is sent again"
        )
      case .unsent:
        (
          "the change of \(words(members)) in the store was not sent",
          "see what the run said of it, and run `ferry migrate` or `ferry upload` again"
        )
      case .unknown: ("it differs at the destination in \(words(members))", unknownChange)
      }
    return verification(record, "verify.different", cause, cure: cure)
  }

  /// A record that the destination took for another one of the store's.
  static func shared(_ record: RecordID, with other: RecordID) -> Finding {
    verification(record, "verify.different", other.sharedWords, cure: separating)
  }

  static func replaced(_ record: RecordID) -> Finding {
    verification(
      record,
      "verify.different",
      "the server reused its ID for another record",
      cure: unknownChange
    )
  }

  private static let unknownChange =
    "find out who changed it; a later change in the app is sent by the next run, and after a restored "
    + "backup the same command with --full -n shows what can be sent"

  /// A record that the user deleted and that is still there.
  static func kept(_ record: RecordID) -> Finding {
    verification(
      record,
      "verify.not-deleted",
      "it was deleted in the store and is still at the destination",
      cure:
        "find out who changed it at the destination; a run with --on-conflict local deletes it"
    )
  }

  /// A record that a run deleted, as the destination answered.
  static func stillThere(_ record: RecordID) -> Finding {
    verification(
      record,
      "verify.not-deleted",
      "the destination answered that it is deleted, and still lists it",
      cure: "see what the route of `delete` in the profile does; the same command tries it again"
    )
  }

  /// A record that is at the destination as a conflict left it.
  static func conflicted(_ record: RecordID, isNew: Bool) -> Finding {
    let end = isNew ? "as the last run settled a conflict" : "as a conflict was settled before"
    return verification(
      record,
      "verify.conflicted",
      "it differs, \(end) in favour of the destination",
      isNew ? .warning : .note,
      cure:
        "a run with --full and --on-conflict local sends the store's content"
    )
  }

  /// A record of which the destination does not show whether it has what was sent.
  static func unknown(_ record: RecordID, _ cause: String) -> Finding {
    verification(
      record,
      "verify.unknown",
      "\(cause), so it is not known whether the destination has what was sent",
      cure:
        "check that the account and its routes show all of it (`list` and `read` in the profile)"
    )
  }

  /// Records of which the destination does not show that a field is empty.
  static func unknown(_ entity: EntityName, empty member: String, count: Int) -> Finding {
    Finding(
      code: "verify.unknown",
      severity: .note,
      entity: entity,
      cause:
        "the destination's list does not show \(member) of \(count.counted("record")) of \(entity), so "
        + "it is not known whether it is empty there, as it should be",
      cure: "write a route that reads one record (`read`) in the profile, if there is one"
    )
  }

  private static func words(_ members: Set<String>) -> String {
    members.sorted().joined(separator: ", ")
  }

  private static func verification(
    _ record: RecordID,
    _ code: String,
    _ cause: String,
    _ severity: Severity = .error,
    cure: String
  ) -> Finding {
    Finding(
      code: code,
      severity: severity,
      entity: record.entity,
      record: record.key,
      cause: cause,
      cure: cure
    )
  }
}

extension String {
  /// Of a record in fields that no row of the destination's list shows.
  static func unlisted(_ names: [String]) -> String {
    "the destination's list does not show \(names.joined(separator: ", "))"
  }
}
