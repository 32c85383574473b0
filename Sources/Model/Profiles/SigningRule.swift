import ProfileSettings

/// The keys that sign each request: AWS Signature Version 4
/// (<https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html>).
package struct SigningRule: Hashable, Sendable {
  /// What the service calls itself: `dynamodb`.
  package let service: String
  package let region: String
  /// The names of the credentials that requests are signed with.
  package let accessKey: String
  package let secretKey: String
  /// The credential with the token of a session; `nil` for keys that are good by themselves.
  package let sessionToken: String?

  /// The credentials that it needs.
  package var credentials: [String] { [accessKey, secretKey] + [sessionToken].compactMap(\.self) }
}

extension SigningRule {
  static func read(_ section: Section) -> SigningRule {
    defer { section.close() }
    return SigningRule(
      service: section.requiredText("service"),
      region: section.requiredText("region"),
      accessKey: section.requiredText("access-key"),
      secretKey: section.requiredText("secret-key"),
      sessionToken: section.text("session-token")
    )
  }
}
