/// The members of an object, in the order they came, each name once.
///
/// Names are compared by their UTF-8 bytes. Equality does not look at the order.
package struct JSONObject: Sendable {
  /// A name and its value.
  package struct Member: Hashable, Sendable {
    package let name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }

    package static func == (left: Member, right: Member) -> Bool {
      left.name.hasSameScalars(as: right.name) && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
      name.hashScalars(into: &hasher)
      hasher.combine(value)
    }
  }

  /// The members, in the order they came.
  package private(set) var members: [Member]
  /// The place of each name; kept only for objects that are slow to look through.
  private var places: [JSONName: Int]

  private static let lookedThrough = 16

  package init() {
    members = []
    places = [:]
  }

  /// Takes members whose names are known to differ.
  init(distinct members: [Member]) {
    self.members = members
    places = [:]
    if members.count > Self.lookedThrough { index() }
  }

  package var count: Int { members.count }
  package var isEmpty: Bool { members.isEmpty }

  /// The names, in the order they came.
  package var names: [String] { members.map(\.name) }

  /// The value of the member called `name`; setting `nil` removes the member.
  package subscript(_ name: String) -> JSONValue? {
    get {
      place(of: name).map { members[$0].value }
    }
    set {
      switch (place(of: name), newValue) {
      case (let place?, let value?):
        members[place].value = value
      case (let place?, nil):
        members.remove(at: place)
        if !places.isEmpty { index() }
      case (nil, let value?):
        members.append(Member(name: name, value: value))
        if !places.isEmpty {
          places[JSONName(name)] = members.count - 1
        } else if members.count > Self.lookedThrough {
          index()
        }
      case (nil, nil):
        break
      }
    }
  }

  /// The members, ordered by the bytes of their names.
  package var sortedMembers: [Member] {
    members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func place(of name: String) -> Int? {
    if !places.isEmpty { return places[JSONName(name)] }
    return members.firstIndex { $0.name.hasSameScalars(as: name) }
  }

  private mutating func index() {
    places = [:]
    for (place, member) in members.enumerated() {
      places[JSONName(member.name)] = place
    }
  }
}

extension JSONObject: Hashable {
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    return left.members.allSatisfy { right[$0.name] == $0.value }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    var combined = 0
    for member in members {
      combined ^= member.hashValue
    }
    hasher.combine(combined)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// A later value for the same name replaces the earlier one.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init()
    for (name, value) in elements {
      self[name] = value
    }
  }
}

extension String {
  /// Whether both hold the same code points, whatever they are canonically equivalent to.
  package func hasSameScalars(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// Whether both are spellings of one identity: the same but for case, for how letters are composed, and for
  /// white space around them.
  ///
  /// Databases keep UUIDs in lower case, and compare texts without a look at any of this.
  package func isSpelled(as other: String) -> Bool {
    hasSameScalars(as: other) || identitySpelling == other.identitySpelling
  }

  /// What all spellings of an identity have in common; two that are equal as texts are of one identity.
  package var identitySpelling: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest.lowercased()
  }

  /// Hashes the code points as they are.
  package func hashScalars(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}
