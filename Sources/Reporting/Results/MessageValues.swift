import DocumentChecking
import Records

/// Whether what is printed quotes values of records.
package enum MessageValues {
  /// Whether it does: only when a user asks for it.
  @TaskLocal package static var areQuoted = false

  /// A cause as it is printed, with the value that was found only where values are quoted.
  static func cause(_ cause: String, found: String?) -> String {
    guard areQuoted, let found else { return cause }
    return "\(cause), found \(found)"
  }
}

extension Finding {
  /// The cause as it is printed.
  var messageCause: String { MessageValues.cause(cause, found: found) }
}

extension DocumentFinding {
  /// The cause as it is printed.
  var messageCause: String { MessageValues.cause(cause, found: found) }
}
