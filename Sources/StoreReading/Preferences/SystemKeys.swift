/// The keys that Apple's frameworks put into an app's preferences.
enum SystemKeys {
  private static let beginnings = ["Apple", "com.apple.", "TVRC", "WebKit"]
  /// These count only where a word follows as Apple writes them: `NSLinguistic…`, not `NSFW`.
  private static let shortBeginnings = ["NS", "AK", "PK", "IN", "MSV"]

  static func contains(_ key: String) -> Bool {
    if beginnings.contains(where: { key.hasPrefix($0) }) { return true }
    return shortBeginnings.contains { beginning in
      guard key.hasPrefix(beginning) else { return false }
      let rest = Array(key.utf8.dropFirst(beginning.utf8.count).prefix(2))
      return rest.count == 2 && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(rest[0])
        && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(rest[1])
    }
  }
}
