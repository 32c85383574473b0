import ProfileSettings

/// A JSON Web Token that says who asks, signed with a key (<https://www.rfc-editor.org/rfc/rfc7523#section-2.1>).
package struct AssertionRule: Hashable, Sendable {
  /// The credential that has the key: a JSON file with `client_email`, `private_key` and `private_key_id`, as
  /// <https://developers.google.com/identity/protocols/oauth2/service-account> describes it.
  package let key: String
  /// What is asked for: `https://www.googleapis.com/auth/datastore`.
  package let scope: String?
  /// Who is to believe it: the address that gives the token.
  package let audience: String
}

extension AssertionRule {
  static func read(_ section: Section) -> AssertionRule {
    defer { section.close() }
    return AssertionRule(
      key: section.requiredText("key"),
      scope: section.text("scope"),
      audience: section.requiredText("audience")
    )
  }
}
