package import Records

/// Where things lie inside a package.
package enum PackagePath {
  package static let manifest = "manifest.json"
  package static let sums = "SHA256SUMS"
  static let progress = "progress.json"
  /// Says in the open that a package is encrypted.
  package static let marker = "encrypted.json"
  /// What a reader of an encrypted package has to know first.
  static let sealing = "sealing.json"
  /// What every encrypted file's name ends with.
  package static let sealedEnding = ".age"
  /// The files whose names state nothing, and are kept in an encrypted package.
  static let namedAsTheyAre: Set<String> = [manifest, sums, sealing]

  /// A data file: `data/Hero-00001.jsonl`.
  static func data(_ entity: EntityName, _ number: Int) -> String {
    "data/\(entity)-\(padded(number)).jsonl"
  }

  /// A file of rejected rows: `rejected/Hero-00001.jsonl`.
  static func rejected(_ entity: EntityName, _ number: Int) -> String {
    "rejected/\(entity)-\(padded(number)).jsonl"
  }

  /// A media file: `media/sha256/ab/abcdef…`.
  package static func media(_ digest: Digest) -> String {
    let text = digest.description
    return "media/sha256/\(text.prefix(2))/\(text)"
  }

  /// A schema: `schemas/Hero.v1.schema.json`; `nil` for a name that is not that of one file.
  static func schema(_ name: String) -> String? {
    name.utf8.contains(UInt8(ascii: "/")) || !isInside(name) ? nil : "schemas/\(name)"
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
  }

  /// Whether a path that a file names stays inside the package.
  static func isInside(_ path: String) -> Bool {
    // Asked with each line that is read: the bytes of a part, and how many of them are dots.
    var (count, dots) = (0, 0)
    var isPart: Bool { count > 0 && !(dots == count && count <= 2) }
    for byte in path.utf8 {
      if byte == UInt8(ascii: "/") {
        guard isPart else { return false }
        (count, dots) = (0, 0)
      } else {
        guard byte != 0 else { return false }
        count += 1
        dots += byte == UInt8(ascii: ".") ? 1 : 0
      }
    }
    return isPart
  }
}
