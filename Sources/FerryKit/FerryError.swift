import Records
import Reporting
import StageSupport

/// Why something did not come to its end, in words for a person and a kind for a program.
public struct FerryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is; new ones may come.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The name, as the summary of `ferry` has it.
    public let rawValue: String

    /// Takes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The store is missing, unreadable, unsupported, unsteady or empty.
    public static let sourceUnusable = Kind(.sourceUnusable)
    /// Records break their schemas; nothing was sent.
    public static let invalid = Kind(.invalid)
    /// A fault that may pass; the same again goes on.
    public static let passingFault = Kind(.passingFault)
    /// The destination refuses: sign-in, rights, quota.
    public static let refused = Kind(.refused)
    /// More records would be rejected than is allowed; nothing was sent.
    public static let limitReached = Kind(.limitReached)
    /// Another run is at work on the same store.
    public static let locked = Kind(.locked)
    /// Profile, store, checkpoint and account do not belong together, or are damaged.
    public static let mismatch = Kind(.mismatch)
    /// What was asked for cannot be.
    public static let misuse = Kind(.usage)
    /// The app or the person asked for an end before anything was sent.
    public static let interrupted = Kind(.interrupted)
    /// Anything else.
    public static let failure = Kind(.failure)
    /// It is not what the person agreed to; nothing was sent.
    public static let notAgreed = Kind(rawValue: "not agreed to")

    init(_ status: ExitStatus) { rawValue = status.name }
  }

  /// What kind of failure it is.
  public let kind: Kind
  /// What is the matter: a clause in lower case without a full stop.
  public let message: String
  /// What can be done about it, worded for the command line of `ferry`; `nil` where the message says
  /// it already.
  public let cure: String?
  /// What is the matter with records, where that is the reason.
  public let findings: [MigrationFinding]

  /// Whether the same again may simply be tried.
  public var mayRetry: Bool { [.passingFault, .interrupted, .locked].contains(kind) }

  /// The message and the cure.
  public var description: String { cure.map { "\(message) (\($0))" } ?? message }

  init(_ kind: Kind, _ message: String, cure: String? = nil) {
    self.kind = kind
    self.message = message
    self.cure = cure
    findings = []
  }

  init(_ error: any Error) {
    kind = Kind(ExitStatus(error))
    let failure = Failure(error)
    message = failure.message
    cure = failure.cure
    if case MigrationError.invalid(let found, _) = error {
      findings = found.map(MigrationFinding.init)
    } else {
      findings = []
    }
  }
}

/// Something that a person should know about the data or a run; values of records are not in it.
public struct MigrationFinding: Hashable, Sendable {
  /// A stable, dotted name of the rule: `schema.required`.
  public let code: String
  /// How grave it is.
  public let severity: Severity
  /// The entity it is about.
  public let entity: String?
  /// What distinguishes the record.
  public let record: String?
  /// The place inside the record, a JSON Pointer; empty for the whole of it.
  public let pointer: String
  /// What is the matter.
  public let cause: String
  /// What a person can do about it.
  public let cure: String

  /// How grave a finding is.
  public enum Severity: String, Hashable, Sendable {
    /// Good to know.
    case note
    /// Something may be lost or wrong.
    case warning
    /// Something is wrong.
    case error
  }
}

extension MigrationFinding {
  init(_ finding: Finding) {
    code = finding.code
    severity =
      switch finding.severity {
      case .note: .note
      case .warning: .warning
      case .error: .error
      }
    entity = finding.entity?.text
    record = finding.record
    pointer = finding.pointer
    cause = finding.cause
    cure = finding.cure
  }
}

/// Runs `body`; its error becomes one that an app understands.
func translating<Value>(
  _ body: () throws -> Value
) throws(FerryError) -> Value {
  do { return try body() } catch { throw FerryError(error) }
}

/// The same for one expression.
func translating<Value>(
  _ value: @autoclosure () throws -> Value
) throws(FerryError) -> Value {
  do { return try value() } catch { throw FerryError(error) }
}
