/// What an error is to who runs a command, in one form for the errors of every module.
///
/// Errors pass through the stages as their modules throw them, and are brought into this form where a command
/// ends or a report is written.
package struct Failure: Sendable {
  package let kind: Kind
  /// What happened, and why: a clause in lower case without a full stop.
  package let message: String
  /// What a person can do about it; `nil` where the message says it already.
  package let cure: String?

  /// What kind of failure it is, which decides the exit status of a command.
  package enum Kind: Sendable {
    case other
    /// It may pass: the same command again goes on.
    case passing
    /// The source is missing, unreadable, unsupported, unsteady or empty.
    case source
    /// What belongs together does not fit together, is damaged or too new.
    case mismatch
    /// Records, documents or files that were given are not valid.
    case invalid
    /// What was asked for cannot be.
    case usage
    /// The destination refuses.
    case refused
    /// More would happen than a person allows.
    case limit
    /// Another run is at work.
    case locked
    /// The person asked for an end.
    case interrupted
  }

  package init(_ kind: Kind, _ error: some Error & CustomStringConvertible, cure: String? = nil) {
    self.kind = kind
    message = error.description
    self.cure = cure
  }

  /// What `error` says of itself; one that says nothing is of no kind that has a name.
  package init(_ error: any Error) {
    if let error = error as? any ExplainedError {
      self = error.failure
    } else {
      kind = .other
      message = "\(error)"
      cure = nil
    }
  }
}

/// An error that may end a command, and says what it is to a person.
package protocol ExplainedError: Error {
  var failure: Failure { get }
}
