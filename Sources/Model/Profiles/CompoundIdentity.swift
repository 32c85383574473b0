import TextCodecs

/// The one text of an identity that several members make up together.
package enum CompoundIdentity {
  /// What each member says, percent-encoded, with commas between.
  package static func text(of parts: [String]) -> String {
    parts.map { PercentCoding.encoded($0) }.joined(separator: ",")
  }

  /// What each of so many members says; `nil` where the text is not of this form.
  package static func parts(of text: String, count: Int) -> [String]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    return parts.count == count ? parts.map { PercentCoding.decoded($0) } : nil
  }
}
