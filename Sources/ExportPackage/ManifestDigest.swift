import JSONText
import Records

/// What a manifest says of itself: the SHA-256 of its bytes, with these digits as zeros.
///
/// A digest of `SHA256SUMS` in it holds for all other files, and nothing held for its own counts and
/// names. Without any program for packages:
///
/// ```
/// sed -E 's/("selfDigest": ")[0-9a-f]{64}/\\1'"$(printf %064d 0)"'/' manifest.json | sha256sum
/// ```
package enum ManifestDigest {
  package static let member = "selfDigest"
  /// The content of its place until it is known.
  package static let blank = String(repeating: "0", count: 64)

  /// Puts the digest of a manifest in the place of its ``blank``.
  package static func filled(in bytes: [UInt8]) -> [UInt8] {
    guard let place = place(of: blank, in: bytes) else { return bytes }
    var bytes = bytes
    bytes.replaceSubrange(place, with: Digest(sha256: bytes).description.utf8)
    return bytes
  }

  /// Refuses a manifest that is not as it was written.
  static func check(
    _ json: JSONValue,
    _ bytes: [UInt8],
    path: String
  ) throws(PackageError) {
    guard let said = json[member]?.text else {
      throw .damaged(path: path, reason: "manifest.json has no proper “\(member)”")
    }
    var blanked = bytes
    if let place = place(of: said, in: bytes) {
      blanked.replaceSubrange(place, with: blank.utf8)
    }
    guard Digest(sha256: blanked).description == said else {
      throw .damaged(
        path: path,
        reason: "manifest.json is not as it was written: its own digest differs"
      )
    }
  }

  /// Where the digits are.
  private static func place(of digits: String, in bytes: [UInt8]) -> Range<Int>? {
    let head = Array(#""\#(member)": ""#.utf8)
    guard digits.utf8.count == blank.utf8.count,
      let found = bytes.firstRange(of: head + Array(digits.utf8))
    else { return nil }
    return found.lowerBound + head.count..<found.upperBound
  }
}
