import JSONText
import ResultGrammar
import ResultText
import TextCodecs

/// What makes two results the same one.
///
/// The key is the engine's identity: game, variant, and the puzzle's number or day. A text that has
/// neither is known by itself and the day it was recorded. Results of the same key by two players
/// are two.
struct ResultIdentity: Hashable {
  let key: String
  let player: String?
  /// Whether the file says whose result it is; a result of no known user known may be anybody's.
  var isPlayerKnown: Bool

  init(_ identity: String, recordedOn day: CalendarDay?, player: String?) {
    if let day, identity.utf8.contains(UInt8(ascii: "#")) {
      key = identity + "@" + day.description
    } else {
      key = identity
    }
    self.player = player
    isPlayerKnown = player != nil
  }

  init(key: String, player: String?) {
    self.key = key
    self.player = player
    isPlayerKnown = player != nil
  }

  /// The id of a record that the app never gave one: always the same for the same result.
  var id: String { NameID.text("result", key, player ?? "") }
}

/// What a result came to, by which a copy is distinguished from another's result.
struct ResultContent: Hashable {
  let score: String?
  let completed: Bool?

  init(_ result: GameResult) {
    score = result.score?.description
    completed = result.completed
  }

  init(_ record: JSONObject) {
    if case .number(let number)? = record["score"] { score = number.literal } else { score = nil }
    completed = record["completed"]?.boolean
  }
}

/// Ids made of names: the same names always give the same UUID.
enum NameID {
  /// A UUID of version 8 (RFC 9562) over two FNV-1a sums of the names.
  static func text(_ names: String...) -> String {
    var first: UInt64 = 0xCBF2_9CE4_8422_2325
    var second: UInt64 = 0x6C62_272E_07BB_0142
    for name in names {
      for byte in name.utf8 {
        first = (first ^ UInt64(byte)) &* 0x100_0000_01B3
        second = (second &* 0x9E37_79B9_7F4A_7C15) ^ (UInt64(byte) &+ first >> 29)
      }
      first = (first ^ 0xFF) &* 0x100_0000_01B3
      second = (second ^ 0xFF) &* 0x9E37_79B9_7F4A_7C15
    }
    second ^= second >> 31
    let high = first & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
    let low = second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return UUIDText.text(high, low)
  }
}
