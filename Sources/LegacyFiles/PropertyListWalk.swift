import Files
import JSONText
import PropertyLists
import Records
import TextCodecs

/// Looks through a property list for results: in its texts, in JSON inside of data, in lists and
/// keyed archives inside of data.
///
/// It looks at one value a step, so that nothing is held of what was found before.
struct PropertyListWalk {
  private var json: JSONWalk
  private var parts: PropertyListParts
  /// How many values may still be looked at, and how many bytes of text and data.
  ///
  /// Lists inside of data unfold once more, each time that the data is referred to.
  private var valuesLeft: Int
  private var bytesLeft: Int
  /// The containers on the way to the value at hand, below the part that is looked through.
  private var levels: [Level] = []
  /// What the containers around the value at hand say of it.
  private var context = JSONWalk.Context()
  /// The member of the outermost dictionary that is looked through.
  private var member: Member?
  /// The array whose elements are parts, and how many of them there were.
  private var array: (place: String, depth: Int, count: Int)?
  /// The names of all members, sorted by their bytes, once a list of names was found.
  private var orderedNames: [String] = []
  /// The lists of names that were found, by what the first of their names begins with.
  private var queues: [String: Queue] = [:]

  /// A container that is gone through.
  private struct Level {
    let values: PropertyList
    let place: String
    let depth: Int
    let context: JSONWalk.Context
    var next = 0
  }

  private struct Member {
    let name: String
    let usedBefore: Int
    /// The texts that it holds, if it may be a list of names.
    var texts: [String] = []

    var mayBeQueue: Bool { name.hasSuffix("Keys") }
  }

  /// The lists of names that have one beginning.
  private struct Queue {
    /// The member that is the first of the lists.
    let list: String
    var listCount = 0
    /// The members that one of the lists names.
    var named: Set<String> = []
  }

  static let depthLimit = 32

  /// Makes a walk over a file of so many bytes.
  init(_ parts: PropertyListParts, fileSize: Int, _ options: LegacyOptions) {
    json = JSONWalk(options)
    self.parts = parts
    valuesLeft = fileSize + 1 << 19
    bytesLeft = 4 * fileSize + 16 << 20
  }

  /// Takes what was found so far.
  mutating func takeFound() -> [LegacyItem] { json.takeFound() }

  /// How much was left out beside what is named.
  var unlisted: LegacyItem? { json.unlisted }

  /// Looks at one value more.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``PropertyListError``, also for a list that unfolds to much more than it is.
  mutating func step() throws(PropertyListError) -> Bool {
    if json.isWalking {
      json.step()
    } else if let last = levels.indices.last {
      try step(in: last)
    } else {
      return try stepToPart()
    }
    return true
  }

  private mutating func step(in last: Int) throws(PropertyListError) {
    let level = levels[last]
    levels[last].next += 1
    context = level.context
    if let elements = level.values.elements, level.next < elements.count {
      let place = JSONWalk.inside(level.place, "element \(level.next + 1)")
      try look(at: elements[level.next], place: place, depth: level.depth + 1)
    } else if let members = level.values.members, level.next < members.count {
      let member = members[level.next]
      let role = json.role(of: member.name)
      context = context.inside(role)
      let place = JSONWalk.inside(level.place, member.name)
      try look(at: member.value, place: place, depth: level.depth + 1)
    } else {
      levels.removeLast()
    }
  }

  private mutating func stepToPart() throws(PropertyListError) -> Bool {
    if array == nil { endMember() }
    context = JSONWalk.Context()
    guard let part = try parts.next() else {
      noteUnnamed()
      return false
    }
    switch part {
    case .whole(let list):
      try look(at: list, place: "", depth: 0)
    case .member(let name, let value):
      member = Member(name: name, usedBefore: json.usedCount)
      if member?.mayBeQueue == true { member?.texts = Self.names(in: value) }
      try look(at: value, place: name, depth: 1)
    case .array(let name):
      member = name.map { Member(name: $0, usedBefore: json.usedCount) }
      try count(.array([]))
      array = (name ?? "", name == nil ? 0 : 1, 0)
    case .element(let value):
      guard let (place, depth, count) = array else { break }
      array?.count += 1
      if member?.mayBeQueue == true, let text = value.text { member?.texts.append(text) }
      let inside = JSONWalk.inside(place, "element \(count + 1)")
      try look(at: value, place: inside, depth: depth + 1)
    case .end:
      array = nil
    }
    return true
  }

  /// The texts of a list, which may be JSON inside of data.
  private static func names(in value: PropertyList) -> [String] {
    if let elements = value.elements { return elements.compactMap(\.text) }
    guard let document = value.bytes.flatMap({ Self.json($0) }) else { return [] }
    return document.value(of: document.root).array?.compactMap(\.text) ?? []
  }

  private mutating func endMember() {
    guard let ended = member else { return }
    member = nil
    guard !noteQueue(ended) else { return }
    json.noteLeftOut("a value", place: ended.name, since: ended.usedBefore)
  }

  /// An array of names of other members: whichever is missing is noted.
  ///
  /// Anything else is not one, which is the answer.
  private mutating func noteQueue(_ member: Member) -> Bool {
    let names = member.texts
    let members = parts.members
    guard names.contains(where: { members[$0] != nil || $0.contains("_") }) else { return false }
    for name in names where members[name] == nil {
      json.note("queue", member.name, "it names “\(name)”, and the file has no such member")
    }
    guard let first = names.first, let end = first.lastIndex(of: "_") else { return true }
    let beginning = String(first[...end])
    queues[beginning, default: Queue(list: member.name)].listCount += 1
    queues[beginning]?.named.formUnion(names.lazy.filter { members[$0] != nil })
    return true
  }

  /// Notes the members that begin as those of some lists do, and that none of these lists names.
  private mutating func noteUnnamed() {
    for (beginning, queue) in queues.sorted(by: { Self.precedes($0.key, $1.key) }) {
      let rest = queue.listCount == 1 ? "" : ", nor does another list"
      for name in sortedNames(startingWith: beginning)
      where parts.members[name] == .data && !queue.named.contains(name) {
        json.note("queue", name, "“\(queue.list)” does not name it\(rest); it is read all the same")
      }
    }
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// The names of members that begin so, found among all of them by halving.
  private mutating func sortedNames(startingWith start: String) -> ArraySlice<String> {
    if orderedNames.count != parts.names.count {
      orderedNames = parts.names.sorted(by: Self.precedes)
    }
    var range = orderedNames.startIndex..<orderedNames.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        orderedNames[middle].utf8.lexicographicallyPrecedes(start.utf8)
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return orderedNames[range.lowerBound...].prefix { $0.utf8.starts(with: start.utf8) }
  }

  private mutating func look(
    at value: PropertyList,
    place: String,
    depth: Int
  ) throws(PropertyListError) {
    try count(value)
    guard depth < Self.depthLimit else {
      return json.note("depth", place, "values lie more than \(Self.depthLimit) deep")
    }
    switch value {
    case .string(let text): look(at: text, place: place)
    case .data(let bytes): try look(at: bytes, place: place, depth: depth)
    case .long(let leaf) where leaf.isText:
      look(at: String(decoding: try Self.bytes(of: leaf), as: UTF8.self), place: place)
    case .long(let leaf): try look(at: Self.bytes(of: leaf), place: place, depth: depth)
    case .array, .set:
      levels.append(Level(values: value, place: place, depth: depth, context: context))
    case .dictionary(let members):
      if value["$archiver"] != nil { return try look(atArchive: value, place: place) }
      let object = try Self.object(members, textSize: 0)
      if let kind = StoredObject.kind(of: object) {
        guard kind != .score else { return }
        let whole =
          value.isHeld ? object : try Self.object(Self.held(value).members ?? [], textSize: 0)
        return json.take(whole, kind, place: place, context: context)
      }
      let telling = members.filter { json.role(of: $0.name) != nil }
      let facts = json.facts(of: try Self.object(telling, textSize: JSONWalk.longestText + 1))
      let inside = context.inside(facts)
      var rest = value
      if let message = facts?.message {
        json.take(message, place: place, context: inside)
        rest = .dictionary(members.filter { !message.isReported(by: $0.name) })
      }
      levels.append(Level(values: rest, place: place, depth: depth, context: inside))
    case .null, .boolean, .integer, .unsignedInteger, .real, .date, .uid: break
    }
  }

  /// Counts a value, before anything is made of it.
  private mutating func count(_ value: PropertyList) throws(PropertyListError) {
    valuesLeft -= 1
    bytesLeft -= value.byteCount
    guard valuesLeft >= 0, bytesLeft >= 0 else {
      throw .beyondLimit("it unfolds to many times its size, with the lists inside of its data")
    }
  }

  /// A text, which may be JSON itself.
  private mutating func look(at text: String, place: String) {
    if text.hasPrefix("{") || text.hasPrefix("["), let value = Self.json(Array(text.utf8)) {
      return json.begin(value, place: place, depth: 1, context: context)
    }
    json.candidate(text, place: place, context: context)
  }

  private mutating func look(
    at bytes: [UInt8],
    place: String,
    depth: Int
  ) throws(PropertyListError) {
    if let value = Self.json(bytes) {
      return json.begin(value, place: place, depth: 1, context: context)
    }
    guard PropertyListForm(bytes) == .binary || PropertyListForm(bytes) == .xml else {
      guard bytes.count <= JSONWalk.longestText else { return json.noteLongText(place) }
      if let text = String(validating: bytes, as: UTF8.self) {
        json.candidate(text, place: place, context: context)
      }
      return
    }
    let list: PropertyList
    do throws(PropertyListError) {
      list = try PropertyList(bytes: bytes)
    } catch {
      return json.note("left-out", place, "the property list in its data cannot be read: \(error)")
    }
    try look(at: list, place: place, depth: depth + 1)
  }

  private mutating func look(
    atArchive list: PropertyList,
    place: String
  ) throws(PropertyListError) {
    do throws(PropertyListError) {
      let bytes = try KeyedArchive(Self.held(list)).json(limits: .inList)
      bytesLeft -= bytes.count
      if let value = Self.json(bytes) {
        json.begin(value, place: place, depth: 1, context: context)
      }
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

  /// What a long leaf is looked at by: all that may be JSON, and of other text no more than is looked through.
  private static func bytes(of leaf: LongLeaf) throws(PropertyListError) -> [UInt8] {
    let first = try start(of: leaf, upTo: EncodedData.startSize)
      .first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    let isWhole =
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      || !leaf.isText && first == UInt8(ascii: "\"")
    return try start(of: leaf, upTo: isWhole ? leaf.count : JSONWalk.longestText + 1)
  }

  private static func start(
    of leaf: LongLeaf,
    upTo count: Int
  ) throws(PropertyListError) -> [UInt8] {
    do throws(FileError) {
      return try leaf.bytes(at: 0, count: min(leaf.count, count))
    } catch {
      throw .file(error)
    }
  }

  private static func held(_ list: PropertyList) throws(PropertyListError) -> PropertyList {
    do throws(FileError) { return try list.held() } catch { throw .file(error) }
  }

  /// The members as JSON, where each has a form there; a long text is cut to `textSize`, and long data is empty.
  private static func object(
    _ members: [PropertyList.Member],
    textSize: Int
  ) throws(PropertyListError) -> JSONObject {
    var object = JSONObject()
    for member in members { object[member.name] = try value(member.value, textSize) }
    return object
  }

  private static func value(
    _ list: PropertyList,
    _ textSize: Int
  ) throws(PropertyListError) -> JSONValue {
    switch list {
    case .null, .uid: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .number(JSONNumber(number))
    case .unsignedInteger(let number): .string(String(number))
    case .real(let number): number.isFinite ? .number(JSONNumber(number)) : .string("\(number)")
    case .date(let seconds): .string(ReferenceDate.text(seconds: seconds))
    case .data(let bytes): ["$base64": .string(Base64.text(bytes))]
    case .string(let text): .string(text)
    case .long(let leaf) where leaf.isText:
      .string(String(decoding: try start(of: leaf, upTo: textSize), as: UTF8.self))
    case .long: ["$base64": ""]
    case .array(let elements), .set(let elements):
      .array(try elements.map { element throws(PropertyListError) in try value(element, textSize) })
    case .dictionary(let members): .object(try object(members, textSize: textSize))
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
