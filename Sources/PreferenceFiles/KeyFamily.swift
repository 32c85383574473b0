import JSONText
import PropertyLists
import Records
import TextCodecs

/// Keys that are one name and a UUID each, as apps write them that keep a record a key:
/// `gameResult_8E7A…`.
struct KeyFamily {
  /// A record under a key of its own.
  struct Row {
    let member: PropertyList.Member
    let members: [PreferenceMember]
  }

  private(set) var rows: [Row] = []

  /// Takes a key's record in, unless its value is no record.
  ///
  /// - Returns: Whether it was taken.
  mutating func take(_ member: PropertyList.Member) -> Bool {
    guard let members = Self.members(of: member.value) else { return false }
    rows.append(Row(member: member, members: members))
    return true
  }

  /// The text before the UUID of a key and the character that joins the two; `nil` for others.
  static func name(of key: String) -> String? {
    let bytes = Array(key.utf8)
    guard bytes.count > 37 else { return nil }
    let joint = bytes.count - 37
    guard [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(bytes[joint]),
      UUIDText.isUUID(bytes[(joint + 1)...])
    else { return nil }
    return String(decoding: bytes[..<joint], as: UTF8.self)
  }

  private static func members(of value: PropertyList) -> [PreferenceMember]? {
    guard case .data(let bytes) = value else { return members(ofList: value) }
    switch EncodedData(bytes) {
    case .list(let list): return members(ofList: list)
    case .json(let text), .archive(let text): return members(ofObject: text)
    case .bytes: return nil
    }
  }

  private static func members(ofList list: PropertyList) -> [PreferenceMember]? {
    list.members.map { PreferenceMember.all(of: $0) }
  }

  private static func members(ofObject text: [UInt8]) -> [PreferenceMember]? {
    do throws(JSONError) {
      return try JSONValue(parsing: text).object.map { PreferenceMember.all(of: $0) }
    } catch {
      return nil
    }
  }
}
