package import DestinationModel

/// Why the database did not do what it was asked.
package enum DatabaseFault: Error, Hashable, Sendable {
  /// libpq is not there, or is too old.
  case noLibrary(reason: String)
  /// There is no connection, or it ended.
  case lost(reason: String)
  /// No answer came in time.
  case late
  /// The run ends, or the call was cancelled.
  case givenUp
  /// The database answered with a fault.
  case refused(ServerFault)
  /// What the profile says and what the database has do not belong together.
  case misfit(DestinationError)
}

/// A fault as PostgreSQL reports it.
///
/// https://www.postgresql.org/docs/current/errcodes-appendix.html
package struct ServerFault: Hashable, Sendable {
  /// The SQLSTATE: five digits and letters.
  package let code: String
  /// The primary message; what the detail adds may quote other rows, and is left out.
  let message: String
  let constraint: String?
  let column: String?

  package init(code: String, message: String, constraint: String? = nil, column: String? = nil) {
    self.code = code
    self.message = message
    self.constraint = constraint
    self.column = column
  }

  /// What a fault says of the request that it answers.
  package enum Meaning: Hashable, Sendable {
    /// Something in one of the rows: alone it would be refused again.
    case row
    /// Not carried out, and may be later.
    case later
    /// The sign-in failed.
    case signIn
    /// The role may not do this, or the database cannot be written.
    case forbidden
    /// The space is used up.
    case full
    /// The tables are not as they were when they were looked at.
    case changed
    /// A fault of the server's, which may lie in one row.
    case failed
  }

  package var meaning: Meaning {
    switch code {
    case "42501": .row
    case "25006": .forbidden
    case "53100", "53400": .full
    case "57014", "55P03", "40001", "40P01": .later
    case "3D000", "42P01", "42703", "3F000", "42P10", "42883": .changed
    default:
      switch code.prefix(2) {
      case "22", "23", "44", "54", "P0", "42", "0A", "09", "27": .row
      case "28": .signIn
      case "40", "53", "55", "57", "08": .later
      default: .failed
      }
    }
  }

  /// The message with the name of what was violated, where the message does not have it.
  var words: String {
    var text = message
    if let column, !text.contains(column) { text += " (column \(column))" }
    if let constraint, !text.contains(constraint) { text += " (constraint \(constraint))" }
    return "\(text) [\(code)]"
  }
}

extension DatabaseFault {
  /// What it is to a reading, or to signing in.
  package func error(at origin: String) -> DestinationError {
    switch self {
    case .noLibrary(let reason):
      return .misconfigured(
        reason: "PostgreSQL's client library is needed for kind: postgresql, and \(reason)",
        cure: "install libpq5 (Debian, Ubuntu), libpq (Homebrew) or postgresql-libs (Fedora)"
      )
    case .lost(let reason): return .unreachable(origin: origin, reason: reason)
    case .late: return .unreachable(origin: origin, reason: "no answer came in time")
    case .givenUp:
      return .busy(retryAfter: nil, reason: "the run ends before the database answered")
    case .misfit(let error): return error
    case .refused(let fault):
      switch fault.meaning {
      case .signIn: return .unauthorized(reason: fault.words)
      case .forbidden: return .forbidden(reason: fault.words)
      case .row:
        return .elsewhere(
          reason: "the database refused to give the rows: \(fault.words)",
          cure: "correct the tables, views and functions that the profile names, and run again"
        )
      case .full: return .quota(reason: fault.words)
      case .later: return .busy(retryAfter: nil, reason: fault.words)
      case .failed:
        return .unreachable(origin: origin, reason: fault.words, isAnswered: true)
      case .changed:
        return .elsewhere(
          reason: "the database does not have what the profile names: \(fault.words)",
          cure: "create it, or correct the profile"
        )
      }
    }
  }
}
