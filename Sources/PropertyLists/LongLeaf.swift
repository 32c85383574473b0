package import Files

/// A text or data of a property list that is read in pieces, because it is too long to be held.
///
/// It lies in the file of the list, or in a private file of its own that is removed with it. It is equal to
/// itself only.
package final class LongLeaf: Sendable {
  /// Whether it is a text, in UTF-8; else it is data.
  package let isText: Bool
  /// How many bytes it has.
  package let count: Int
  private let place: Place

  /// Where it lies.
  enum Place {
    case list(ListFile, offset: Int)
    case own(path: String, PrivateFolder)
  }

  /// How many bytes are worked on at a time.
  static let pieceSize = 1 << 18

  init(isText: Bool, _ place: Place, count: Int) {
    self.isText = isText
    self.place = place
    self.count = count
  }

  deinit {
    // What cannot be removed now goes with the folder.
    if case .own(let path, _) = place { try? Folder.remove(path) }
  }

  /// Some of its bytes, which have to be there.
  package func bytes(at start: Int, count: Int) throws(FileError) -> [UInt8] {
    switch place {
    case .list(let file, let offset): try file.bytes(at: offset + start, count: count)
    case .own(let path, _): try InputFile(path).bytes(at: Int64(start), count: count)
    }
  }

  /// The same value, held.
  package func held() throws(FileError) -> PropertyList {
    let bytes = try bytes(at: 0, count: count)
    return isText ? .string(String(decoding: bytes, as: UTF8.self)) : .data(bytes)
  }
}

extension LongLeaf: Hashable {
  package static func == (left: LongLeaf, right: LongLeaf) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PropertyList {
  /// Whether all of its leaves are held.
  package var isHeld: Bool {
    switch self {
    case .long: false
    case .array(let elements), .set(let elements): elements.allSatisfy(\.isHeld)
    case .dictionary(let members): members.allSatisfy(\.value.isHeld)
    default: true
    }
  }

  /// The list with all of its leaves held.
  package func held() throws(FileError) -> PropertyList {
    switch self {
    case _ where isHeld: return self
    case .long(let leaf): return try leaf.held()
    case .array(let elements): return .array(try Self.held(elements))
    case .set(let elements): return .set(try Self.held(elements))
    case .dictionary(let members):
      var held: [Member] = []
      for member in members {
        held.append(Member(name: member.name, value: try member.value.held()))
      }
      return .dictionary(held)
    default: return self
    }
  }

  private static func held(_ elements: [PropertyList]) throws(FileError) -> [PropertyList] {
    var held: [PropertyList] = []
    for element in elements { held.append(try element.held()) }
    return held
  }
}
