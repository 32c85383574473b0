package import XMLAccess

/// A part of a property list: what its outermost dictionary or array holds, one after another.
package enum PropertyListPart {
  /// The list as a whole: it is no dictionary, or one that means something as a whole only.
  case whole(PropertyList)
  /// A member of the outermost dictionary.
  case member(name: String, PropertyList)
  /// An array begins: the outermost value, or a member of it. Its elements and its end follow.
  case array(name: String?)
  case element(PropertyList)
  case end
}

/// A property list in parts.
///
/// An XML list is read twice, and held one part at a time. Of every other list all but the long leaves is
/// held. A list that is malformed anywhere is refused before anything of it is given.
package struct PropertyListParts {
  /// What is known of a member before it is given.
  package enum MemberKind { case data, other }

  /// The members of the outermost dictionary, if its parts are given.
  package private(set) var members: [String: MemberKind] = [:]
  /// Their names, in order.
  package private(set) var names: [String] = []
  package private(set) var notes: [PropertyListNote] = []
  private var source: Source

  private enum Source {
    case whole(PropertyList)
    case members([PropertyList.Member], next: Int)
    case xml(XMLPropertyList)
    case nothing
  }

  /// Takes a list that is held.
  package init(_ document: PropertyListDocument) {
    notes = document.notes
    guard let found = document.list.members, document.list["$archiver"] == nil else {
      source = .whole(document.list)
      return
    }
    source = .members(found, next: 0)
    for member in found { add(member.name, isData: member.value.isData) }
  }

  /// Reads an XML list that `open` opens, twice.
  ///
  /// - Returns: `nil` for a list that means something as a whole only: a keyed archive, a reference,
  ///   or a dictionary in which a name comes twice, in the same bytes or in others.
  /// - Throws: ``PropertyListError`` for what is malformed.
  package init?(
    limits: PropertyListLimits = .standard,
    open: (XMLLimits, XMLEventReader.Tolerance) throws(XMLError) -> XMLEventReader
  ) throws(PropertyListError) {
    let scratch = LeafScratch(limits)
    var list = try XMLPropertyList(opening: open, limits, scratch)
    source = .nothing
    while let part = try list.next() {
      switch part {
      case .member(let name, let value): add(name, isData: value.isData)
      case .array(let name?): add(name, isData: false)
      case .whole, .array, .element, .end: break
      }
    }
    guard members.count == names.count, members["$archiver"] == nil, members["CF$UID"] == nil else {
      return nil
    }
    notes = list.notes
    source = .xml(try XMLPropertyList(opening: open, limits, scratch))
  }

  private mutating func add(_ name: String, isData: Bool) {
    members[name] = isData ? .data : .other
    names.append(name)
  }

  /// The next part, or `nil` behind the last.
  package mutating func next() throws(PropertyListError) -> PropertyListPart? {
    switch source {
    case .nothing: return nil
    case .whole(let list):
      source = .nothing
      return .whole(list)
    case .members(let members, let place):
      guard place < members.count else { return nil }
      source = .members(members, next: place + 1)
      return .member(name: members[place].name, members[place].value)
    case .xml(var list):
      source = .nothing
      let part = try list.next()
      source = .xml(list)
      return part
    }
  }
}

extension XMLPropertyList {
  init(
    opening open: (XMLLimits, XMLEventReader.Tolerance) throws(XMLError) -> XMLEventReader,
    _ limits: PropertyListLimits,
    _ scratch: LeafScratch?
  ) throws(PropertyListError) {
    do throws(XMLError) {
      let reader = try open(XMLLimits(depth: limits.depth + 3), .controlCharacterReferences)
      self.init(reader, limits: limits, scratch)
    } catch {
      throw .malformedXML(error)
    }
  }
}
