/// Some of the media files that a destination holds for the account.
package struct MediaPage: Hashable, Sendable {
  package struct File: Hashable, Sendable {
    /// The file's identity at the destination.
    package let serverID: String
    /// In bytes, where the destination tells it.
    package let size: Int64?

    package init(serverID: String, size: Int64?) {
      self.serverID = serverID
      self.size = size
    }
  }

  package let files: [File]
  /// The identities of files whose sending was begun and not ended.
  package let unfinished: [String]
  /// Where the next page begins, or `nil` after the last.
  package let next: String?

  package init(files: [File] = [], unfinished: [String] = [], next: String?) {
    self.files = files
    self.unfinished = unfinished
    self.next = next
  }
}
