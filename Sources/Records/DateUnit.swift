/// What a number that represents a date counts.
package enum DateUnit: String, CaseIterable, Sendable {
  /// As Apple's encoders write dates unless they are reported otherwise.
  case secondsSince2001 = "seconds-since-2001"
  case secondsSince1970 = "seconds-since-1970"
  case millisecondsSince1970 = "milliseconds-since-1970"

  /// In words: `seconds since 2001`.
  package var words: String {
    switch self {
    case .secondsSince2001: "seconds since 2001"
    case .secondsSince1970: "seconds since 1970"
    case .millisecondsSince1970: "milliseconds since 1970"
    }
  }
}
