/// Something that a person should know about the data, a profile or a run.
///
/// A run collects findings and reports them all; it does not stop at the first. The code never
/// changes its meaning, so that a rule in a pipeline can name it.
package struct Finding: Hashable, Sendable {
  package enum Severity: String, Sendable, Comparable {
    case note, warning, error

    private var rank: Int {
      switch self {
      case .note: 0
      case .warning: 1
      case .error: 2
      }
    }

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
  }

  /// A stable, dotted name of the rule: `schema.required`, `reference.dangling`.
  package let code: String
  package let severity: Severity
  package let entity: EntityName?
  /// The record's key; see ``RecordID/key``.
  package let record: String?
  /// The place inside the record, a JSON Pointer (RFC 6901); empty for the whole record.
  package let pointer: String
  /// The file the record lies in, relative to the package, with its line counted from one.
  package let file: String?
  package let line: Int?
  /// What is the matter, in words; which of them may quote what, the catalogue of rules says.
  package let cause: String
  /// What was found, where that is a value of the record: it is shown only where values are.
  package let found: String?
  /// What a person can do about it.
  package let cure: String

  package init(
    code: String,
    severity: Severity,
    entity: EntityName? = nil,
    record: String? = nil,
    pointer: String = "",
    file: String? = nil,
    line: Int? = nil,
    cause: String,
    found: String? = nil,
    cure: String
  ) {
    self.code = code
    self.severity = severity
    self.entity = entity
    self.record = record
    self.pointer = pointer
    self.file = file
    self.line = line
    self.cause = cause
    self.found = found
    self.cure = cure
  }
}

extension Finding {
  /// A rule that findings break, as far as it is about one entity, and how grave that is.
  package struct Rule: Hashable, Sendable {
    package let code: String
    package let severity: Severity
    package let entity: EntityName?

    package init(code: String, severity: Severity, entity: EntityName?) {
      self.code = code
      self.severity = severity
      self.entity = entity
    }
  }

  package var rule: Rule { Rule(code: code, severity: severity, entity: entity) }
}

extension [Finding.Rule: Int] {
  /// How many findings there are of each severity.
  package var bySeverity: [Finding.Severity: Int] {
    reduce(into: [:]) { $0[$1.key.severity, default: 0] += $1.value }
  }
}
