package import Files

/// A place of a container that was not looked into.
package struct SkippedPlace: Hashable, Sendable {
  /// The path inside the container.
  package let path: String
  package let reason: String
  /// What the system said, where a store may be there all the same.
  package let failure: FileError?

  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
    failure = nil
  }

  package init(path: String, refused error: FileError) {
    self.path = path
    reason = error.description
    failure = error.hidesWhatIsThere ? error : nil
  }
}
