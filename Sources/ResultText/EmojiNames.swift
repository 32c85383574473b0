/// The names that Slack and others write in place of emoji: `:large_green_square:`.
enum EmojiNames {
  /// The emoji whose name begins at `place`, and how many bytes the name takes.
  static func find(in bytes: [UInt8], at place: Int) -> (scalars: [UInt32], length: Int)? {
    guard place + 2 < bytes.count, isLetter(bytes[place + 1]) else { return nil }
    var end = place + 1
    let limit = min(bytes.count, place + 28)
    while end < limit, isLetter(bytes[end]) || bytes[end] == UInt8(ascii: "_") { end += 1 }
    guard end < limit, bytes[end] == UInt8(ascii: ":") else { return nil }
    let name = String(decoding: bytes[place + 1..<end], as: UTF8.self)
    guard let scalars = table[name] else { return nil }
    return (scalars, end + 1 - place)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
  }

  private static let table: [String: [UInt32]] = {
    let emoji: [(String, String)] = [
      ("large_green_square", "🟩"), ("large_yellow_square", "🟨"), ("large_orange_square", "🟧"),
      ("large_red_square", "🟥"), ("large_blue_square", "🟦"), ("large_purple_square", "🟪"),
      ("large_brown_square", "🟫"), ("white_large_square", "⬜"), ("black_large_square", "⬛"),
      ("large_green_circle", "🟢"), ("large_yellow_circle", "🟡"), ("large_orange_circle", "🟠"),
      ("large_blue_circle", "🔵"), ("large_purple_circle", "🟣"), ("red_circle", "🔴"),
      ("white_circle", "⚪"), ("black_circle", "⚫"), ("bulb", "💡"), ("pushpin", "📌"),
      ("thinking_face", "🤔"), ("tada", "🎉"), ("star", "⭐"), ("crown", "👑"),
      ("white_check_mark", "✅"), ("x", "❌"), ("movie_camera", "🎥"), ("arrow_up", "⬆"),
      ("arrow_down", "⬇"), ("arrow_left", "⬅"), ("arrow_right", "➡"), ("zero", "0⃣"),
      ("one", "1⃣"), ("two", "2⃣"), ("three", "3⃣"), ("four", "4⃣"), ("five", "5⃣"),
      ("six", "6⃣"), ("seven", "7⃣"), ("eight", "8⃣"), ("nine", "9⃣"), ("keycap_ten", "🔟"),
    ]
    return Dictionary(
      emoji.map { ($0.0, $0.1.unicodeScalars.map(\.value)) },
      uniquingKeysWith: { first, _ in first }
    )
  }()
}
