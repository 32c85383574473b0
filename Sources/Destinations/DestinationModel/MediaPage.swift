/// Some of the media files that a destination holds for the account.
package struct MediaPage: Hashable, Sendable {
  package struct File: Hashable, Sendable {
    /// The file's identity at the destination.
    package let serverID: String
    /// In bytes, where the destination gives it.
    package let size: Int64?

    package init(serverID: String, size: Int64?) {
      self.serverID = serverID
      self.size = size
    }
  }

  package let files: [File]
  /// The identities of files whose sending was begun and not ended.
  package let unfinished: [String]
  /// Why the destination does not list what this page was to hold, where it does not.
  package let refusal: Refusal?
  /// Where the next page begins, or `nil` after the last.
  package let next: String?

  package init(
    files: [File] = [],
    unfinished: [String] = [],
    refusal: Refusal? = nil,
    next: String?
  ) {
    self.files = files
    self.unfinished = unfinished
    self.refusal = refusal
    self.next = next
  }

  /// A list that the destination does not give.
  package struct Refusal: Hashable, Sendable {
    /// What would have been listed: “files whose sending was begun and not ended”.
    package let subject: String
    package let reason: String
    package let cure: String

    package init(of subject: String, reason: String, cure: String) {
      self.subject = subject
      self.reason = reason
      self.cure = cure
    }
  }
}
