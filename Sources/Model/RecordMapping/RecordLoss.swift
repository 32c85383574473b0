package import Records

/// A value that is not in the record as its kind would have it.
///
/// Nothing is lost but what the profile asks to cut, and links that lead nowhere: the record holds
/// the stored bytes or digits, and this says why in that form.
package struct RecordLoss: Hashable, Sendable {
  /// In what the value is unusual.
  ///
  /// The raw values are codes of findings and never change.
  package enum Kind: String, Sendable, CaseIterable {
    /// Text that is not UTF-8; kept as `{"$base64": …}`.
    case notUTF8 = "value.not-utf8"
    /// Bytes that should be JSON and are not; kept as `{"$base64": …}`.
    case notJSON = "value.not-json"
    /// Bytes that should be an archive or a property list and are not; kept as `{"$base64": …}`.
    case notDecoded = "value.not-decoded"
    /// The value is of another kind than the model says; kept as it was found.
    case otherKind = "value.other-kind"
    /// Nothing where the model asks for a value; kept as `null`.
    case missing = "value.missing"
    /// A number of seconds that no calendar holds; kept as its digits.
    case noInstant = "value.no-instant"
    /// The value lies in a file of its own, which is gone; the file's name is kept.
    case lostFile = "value.missing-file"
    /// The profile asks for milliseconds, and the store had a finer instant.
    case cutDate = "value.date-cut"
    /// A link to a record that the store does not have; left out.
    case leftOut = "reference.left-out"
    /// A foreign key, not 0, to a row that the store does not have; left out.
    case lostRow = "reference.row-missing"
    /// A link to a record that the store does not have; kept, because the profile says so.
    case keptLink = "reference.kept"
  }

  package let kind: Kind
  /// The member, or `member/leaf`, in the record.
  package let member: String

  package init(kind: Kind, member: String) {
    self.kind = kind
    self.member = member
  }

  /// What a package counts such losses under: the code and the place in the record.
  package var tally: String { "\(kind.rawValue) /\(member)" }

  /// Takes a loss from the name it is counted under, or `nil` when that counts something else.
  package init?(tally: String) {
    guard let space = tally.firstIndex(of: " "), let kind = Kind(rawValue: String(tally[..<space]))
    else { return nil }
    self.init(kind: kind, member: String(tally[space...].dropFirst(2)))
  }

  /// So many losses of one kind at one place, as a finding.
  package func finding(entity: EntityName, count: Int64) -> Finding {
    Finding(
      code: kind.rawValue,
      severity: severity,
      entity: entity,
      pointer: "/" + member,
      cause: "\(cause) (\(count) \(count == 1 ? "value" : "values"))",
      cure: cure
    )
  }

  private var severity: Finding.Severity {
    switch kind {
    case .lostFile: .error
    case .cutDate, .leftOut, .keptLink: .note
    default: .warning
    }
  }

  private var cause: String {
    switch kind {
    case .notUTF8: "the text is not UTF-8; its bytes are kept as base64"
    case .notJSON: "the bytes are not JSON; they are kept as base64"
    case .notDecoded:
      "the bytes are not the archive or property list that the profile names; they are kept as base64"
    case .otherKind:
      "the store holds another kind of value than its model says; it is kept as found"
    case .missing: "the model asks for a value and the store has none"
    case .noInstant: "the date is not an instant of any calendar; its digits are kept"
    case .lostFile: "the value lies in a file beside the store, and that file is not there"
    case .cutDate: "the instant is finer than a millisecond, and the profile asks to cut it there"
    case .leftOut: "the link leads to a record that the store does not have, and is left out"
    case .lostRow: "the foreign key leads to a row that the store does not have, and is left out"
    case .keptLink: "the link leads to a record that the store does not have, and is kept"
    }
  }

  private var cure: String {
    switch kind {
    case .notDecoded: "look at the value in the app, or leave “as” out, so that all bytes are kept"
    case .notUTF8, .notJSON, .otherKind, .noInstant: "look at the value in the app and repair it"
    case .missing: "give the attribute a value in the app, or make it optional in the schema"
    case .lostFile: "copy the store together with the folder of its external files"
    case .cutDate: "no action is needed; without “as: milliseconds” the instant stays whole"
    case .leftOut: "no action is needed; “dangling: refuse” in the profile makes it a fault"
    case .lostRow:
      "look for the row in a backup of the store; “dangling: keep” in the profile keeps the link, and "
        + "“dangling: refuse” makes it a fault"
    case .keptLink: "no action is needed; without “dangling: keep” the link is left out"
    }
  }
}

/// Why a row could not become a record.
package struct RecordFault: Error, Hashable, Sendable {
  package let code: String
  package let member: String?
  package let cause: String
  package let cure: String

  package init(code: String, member: String? = nil, cause: String, cure: String) {
    self.code = code
    self.member = member
    self.cause = cause
    self.cure = cure
  }

  /// The code of a row, or a record, that is larger than any that is taken.
  package static let tooLargeCode = "record.too-large"

  static let tooLarge = RecordFault(
    code: tooLargeCode,
    cause: "a value of the row has more than the \(Row.largestValue) bytes that are read",
    cure: "make it smaller in the app, or keep it in a file of its own; all other rows are exported"
  )

  /// The code of a row with a value that the store could not read; `Row.failure` says why.
  package static let unreadableCode = "value.unreadable"

  package static let unreadable = RecordFault(
    code: unreadableCode,
    cause: "a value of the row could not be read",
    cure: "check that the store can be read, and run again"
  )

  /// A record of `size` bytes, where `limit` are the most that are read back.
  package static func tooLarge(size: Int, limit: Int) -> RecordFault {
    RecordFault(
      code: tooLargeCode,
      cause: "the record would have \(size) bytes, and a package's records at most \(limit)",
      cure: "have the profile name what is large as media, which lies in files of its own"
    )
  }

  static let noIdentity = RecordFault(
    code: "record.no-identity",
    cause: "the row has no value where its identity should be",
    cure: "give it one in the app, or choose “identity: object-uri” in the profile"
  )
}
