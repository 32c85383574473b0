import JSONText
import PropertyLists

/// Looks through a property list for results: in its texts, in JSON inside of data, in lists and
/// keyed archives inside of data.
struct PropertyListWalk {
  private var json = JSONWalk()
  /// How many values may still be looked at, and how many bytes of text and data.
  ///
  /// Lists inside of data unfold once more, each time that the data is referred to.
  private var valuesLeft: Int
  private var bytesLeft: Int

  static let depthLimit = 32

  /// Makes a walk over a file of so many bytes.
  init(fileSize: Int) {
    valuesLeft = fileSize + 1 << 19
    bytesLeft = 4 * fileSize + 16 << 20
  }

  var items: [LegacyItem] { json.items }

  /// Looks through the list of a whole file.
  ///
  /// - Throws: ``PropertyListError/beyondLimit(_:)`` for a list that unfolds to much more than it is.
  mutating func walk(file list: PropertyList) throws(PropertyListError) {
    guard let members = list.members, list["$archiver"] == nil else {
      return try walk(list, place: "", depth: 0)
    }
    for member in members {
      let before = json.count
      try walk(member.value, place: member.name, depth: 1)
      guard !noteQueue(member, in: list) else { continue }
      json.noteLeftOut("a value", place: member.name, since: before)
    }
  }

  /// An array of names of other members: whichever is missing is noted.
  ///
  /// Anything else is none, which is the answer.
  private mutating func noteQueue(
    _ member: PropertyList.Member,
    in list: PropertyList
  ) -> Bool {
    guard member.name.hasSuffix("Keys"), let elements = member.value.elements else { return false }
    let names = elements.compactMap(\.text)
    guard names.contains(where: { list[$0] != nil }) || names.contains(where: { $0.contains("_") })
    else { return false }
    for name in names where list[name] == nil {
      json.note("queue", member.name, "it names “\(name)”, and the file has no such member")
    }
    guard let first = names.first, let end = first.lastIndex(of: "_") else { return true }
    let prefix = first[...end]
    for other in list.members ?? [] where other.name.hasPrefix(prefix) {
      guard case .data = other.value, !names.contains(other.name) else { continue }
      json.note("queue", other.name, "“\(member.name)” does not name it; it is read all the same")
    }
    return true
  }

  private mutating func walk(
    _ value: PropertyList,
    place: String,
    depth: Int
  ) throws(PropertyListError) {
    try count(value)
    guard depth < Self.depthLimit else {
      return json.note("depth", place, "values lie more than \(Self.depthLimit) deep")
    }
    switch value {
    case .string(let text): walk(text: text, place: place)
    case .data(let bytes): try walk(data: bytes, place: place, depth: depth)
    case .array(let elements), .set(let elements):
      for (index, element) in elements.enumerated() {
        let inside = JSONWalk.inside(place, "element \(index + 1)")
        try walk(element, place: inside, depth: depth + 1)
      }
    case .dictionary(let members):
      if value["$archiver"] != nil { return try walk(archive: value, place: place) }
      let object = Self.object(members)
      if let kind = StoredObject.kind(of: object) {
        return json.take(object, kind, place: place)
      }
      for member in members {
        let inside = JSONWalk.inside(place, member.name)
        try walk(member.value, place: inside, depth: depth + 1)
      }
    case .null, .boolean, .integer, .unsignedInteger, .real, .date, .uid: break
    }
  }

  /// Counts a value, before anything is made of it.
  private mutating func count(_ value: PropertyList) throws(PropertyListError) {
    valuesLeft -= 1
    bytesLeft -= value.text?.utf8.count ?? value.bytes?.count ?? 0
    guard valuesLeft >= 0, bytesLeft >= 0 else {
      throw .beyondLimit("it unfolds to many times its size, with the lists inside of its data")
    }
  }

  /// A text, which may be JSON itself.
  private mutating func walk(text: String, place: String) {
    if text.hasPrefix("{") || text.hasPrefix("["), let value = Self.json(Array(text.utf8)) {
      return json.walk(value, place: place, depth: 1)
    }
    json.candidate(text, place: place)
  }

  private mutating func walk(
    data bytes: [UInt8],
    place: String,
    depth: Int
  ) throws(PropertyListError) {
    if let value = Self.json(bytes) { return json.walk(value, place: place, depth: 1) }
    guard PropertyListForm(bytes) == .binary || PropertyListForm(bytes) == .xml else {
      guard bytes.count <= JSONWalk.longestText else { return json.noteLongText(place) }
      if let text = String(validating: bytes, as: UTF8.self) { json.candidate(text, place: place) }
      return
    }
    let list: PropertyList
    do throws(PropertyListError) {
      list = try PropertyList(bytes: bytes)
    } catch {
      return json.note("left-out", place, "the property list in its data cannot be read: \(error)")
    }
    try walk(list, place: place, depth: depth + 1)
  }

  private mutating func walk(
    archive list: PropertyList,
    place: String
  ) throws(PropertyListError) {
    do throws(PropertyListError) {
      let bytes = try KeyedArchive(list).json(limits: .inList)
      bytesLeft -= bytes.count
      if let value = Self.json(bytes) { json.walk(value, place: place, depth: 1) }
    } catch {
      json.note("left-out", place, "the keyed archive cannot be read: \(error)")
    }
  }

  /// The JSON that `bytes` are; `nil` for anything but an object, an array or a text.
  private static func json(_ bytes: [UInt8]) -> JSONDocument? {
    let first = bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
    else { return nil }
    let document = JSONDocument()
    do throws(JSONError) { try document.parse(copying: bytes) } catch { return nil }
    return document
  }

  /// The members as JSON, where each has a form there.
  private static func object(_ members: [PropertyList.Member]) -> JSONObject {
    var object = JSONObject()
    for member in members { object[member.name] = value(member.value) }
    return object
  }

  private static func value(_ list: PropertyList) -> JSONValue {
    switch list {
    case .null, .uid: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .number(JSONNumber(number))
    case .unsignedInteger(let number): .string(String(number))
    case .real(let number): number.isFinite ? .number(JSONNumber(number)) : .string("\(number)")
    case .date(let seconds): .string(ReferenceDate.text(seconds: seconds))
    case .data(let bytes): ["$base64": .string(Base64.text(bytes))]
    case .string(let text): .string(text)
    case .array(let elements), .set(let elements): .array(elements.map(value))
    case .dictionary(let members):
      .object(
        members.reduce(into: JSONObject()) { object, member in
          object[member.name] = value(member.value)
        }
      )
    }
  }
}

extension PropertyListLimits {
  /// For an archive in a list that is searched for texts.
  fileprivate static let inList = PropertyListLimits(
    depth: 100,
    nodeCount: 1 << 18,
    textSize: 16 << 20
  )
}
