import CouchbaseDocuments

/// A file that a document names: `{"@type": "blob", "digest": "sha1-…", "length": …, "content_type": …}`.
///
/// Documents that came from release 1 name them without a type in `_attachments`. The file has the name of
/// the digest, `/` written as `_`.
///
/// https://docs.couchbase.com/couchbase-lite/current/swift/blob.html
struct CouchbaseBlob {
  /// The name of the file in `Attachments`.
  let fileName: String

  private static let prefix = "sha1-"
  /// The base64 digits of 20 bytes.
  private static let digestLength = 28

  /// `nil` for a value that names no file.
  init?(_ value: FleeceValue) {
    guard case .dictionary(let members) = value, let digest = Self.digest(members),
      Self.text("@type", members) == "blob" || Self.text("@type", members) == nil
    else { return nil }
    fileName = digest.replacing("/", with: "_") + ".blob"
  }

  private static func digest(_ members: [FleeceMember]) -> String? {
    guard let text = text("digest", members), text.hasPrefix(prefix) else { return nil }
    let digest = text.dropFirst(prefix.count)
    guard digest.utf8.count == digestLength, digest.utf8.allSatisfy(isBase64) else { return nil }
    return String(digest)
  }

  private static func text(_ name: String, _ members: [FleeceMember]) -> String? {
    guard case .text(let text) = members.first(where: { $0.name == name })?.value else {
      return nil
    }
    return text
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
      UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// A place in a document that dictionaries alone lead to, by the names of their members.
  typealias Path = [String]

  /// Calls `body` for each blob in a value, with its path where no array is on the way.
  ///
  /// Arrays that are not held are read by `reader` from what they lie in.
  static func forEach(
    in value: FleeceValue,
    of reader: FleeceReader,
    _ content: DocumentBytes,
    at path: Path? = [],
    _ body: (CouchbaseBlob, Path?) -> Void
  ) throws(FleeceError) {
    if let blob = CouchbaseBlob(value) { return body(blob, path) }
    switch value {
    case .array(let values):
      for value in values { try forEach(in: value, of: reader, content, at: nil, body) }
    case .longArray(let items):
      var items = reader.items(of: items, in: content)
      while let value = try items.take() {
        try forEach(in: value, of: reader, content, at: nil, body)
      }
    case .dictionary(let members):
      for member in members {
        let path = path.map { $0 + [member.name] }
        try forEach(in: member.value, of: reader, content, at: path, body)
      }
    case .null, .undefined, .boolean, .integer, .unsigned, .float, .double, .text, .malformedText,
      .data, .long:
      break
    }
  }
}
