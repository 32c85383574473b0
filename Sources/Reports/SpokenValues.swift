import DocumentChecking
import Records

/// Whether what is printed quotes values of records.
package enum SpokenValues {
  /// Whether it does: only when somebody asks for it.
  @TaskLocal package static var areQuoted = false

  /// A cause as it is printed: what was expected, and not the value that was found instead of it.
  static func cause(_ cause: String, of code: String) -> String {
    guard !areQuoted, code.hasPrefix("schema.") || code.hasPrefix("import.date-"),
      let found = cause.firstRange(of: ", found ")
    else { return cause }
    // A kind is no value: “a list of 3 elements”, “no such member”.
    let rest = cause[found.upperBound...]
    if ["a ", "an ", "no "].contains(where: { rest.hasPrefix($0) }) { return cause }
    return String(cause[..<found.lowerBound])
  }
}

extension Finding {
  /// The cause as it is printed.
  var spokenCause: String { SpokenValues.cause(cause, of: code) }
}

extension DocumentFinding {
  /// The cause as it is printed.
  var spokenCause: String { SpokenValues.cause(cause, of: code) }
}
