import JSONText
import Profiles

/// The members that a change changes although the row of a list that it is made on lacks them, with what
/// stood there as far as anybody knows.
///
/// They are kept behind the row itself:
///
/// ```
/// {"title":"a"} 0x1E {"text":["b"],"mood":[]}
/// ```
///
/// A value stands in an array, which is empty where nobody knows it. No JSON has the separator in it:
/// <https://www.rfc-editor.org/rfc/rfc7464>.
struct UnseenMembers {
  private var values = JSONObject()

  private static let separator: UInt8 = 0x1E

  init() {}

  /// Those that were kept with a row; none where that was kept alone.
  init(keptWith row: [UInt8], _ wire: EntityWire) {
    guard let end = row.firstIndex(of: Self.separator) else { return }
    values = wire.object(Array(row[(end + 1)...])) ?? JSONObject()
  }

  /// The row alone, of what was kept.
  static func row(of kept: [UInt8]) -> [UInt8] {
    kept.firstIndex(of: separator).map { Array(kept[..<$0]) } ?? kept
  }

  /// Those that a row lacks too.
  func lacking(in row: JSONObject) -> UnseenMembers {
    var lacking = UnseenMembers()
    for member in values.members where row[member.name] == nil {
      lacking.values[member.name] = member.value
    }
    return lacking
  }

  var isEmpty: Bool { values.isEmpty }
  var names: [String] { values.names }

  /// Those of which nobody knows what stood there.
  var unknown: [String] { values.members.filter { $0.value[0] == nil }.map(\.name) }

  /// What a request says that puts the others back.
  var known: [WireMember] {
    values.members.compactMap { member in
      member.value[0].map { WireMember(name: member.name, value: $0.canonicalBytes) }
    }
  }
}
