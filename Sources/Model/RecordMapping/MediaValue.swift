import JSONText
package import Records

/// What became of a media file that a row names.
package struct MediaValue: Hashable, Sendable {
  /// What became of the file.
  package enum State: String, Sendable, CaseIterable {
    /// The file is in the package.
    case present
    /// The file should be there and is not.
    case missing
    /// The file is gone, and the app throws such files away by design.
    case evicted
    /// The row names an address on the network, and the file was not fetched.
    case remote
    /// The name leads out of the app's container, over a link, or to what is no file of media, and was
    /// not followed.
    case refused
  }

  package let state: State
  /// What the row says, as text.
  package let name: String
  package let sha256: Digest?
  package let size: Int64?
  package let url: String?

  package init(
    state: State,
    name: String,
    sha256: Digest? = nil,
    size: Int64? = nil,
    url: String? = nil
  ) {
    self.state = state
    self.name = name
    self.sha256 = sha256
    self.size = size
    self.url = url
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("name")
    writer.string(name)
    if let sha256 {
      writer.name("sha256")
      writer.string(sha256.description)
    }
    if let size {
      writer.name("size")
      writer.integer(size)
    }
    writer.name("state")
    writer.string(state.rawValue)
    if let url {
      writer.name("url")
      writer.string(url)
    }
    writer.endObject()
  }
}
