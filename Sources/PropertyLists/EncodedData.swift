import JSONText

/// Bytes that an app stored, by what it put there.
package enum EncodedData {
  /// JSON text: an object or an array.
  case json([UInt8])
  /// A property list, as `PropertyListEncoder` writes one.
  case list(PropertyList)
  /// A keyed archive, as JSON.
  case archive([UInt8])
  case bytes

  /// By how many of its first bytes ``mayBegin(with:)`` is asked.
  package static let startSize = 512

  /// Whether bytes that begin so may be more than bytes.
  package static func mayBegin(with start: [UInt8]) -> Bool {
    let first = start.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == nil
      || PropertyListForm(start) == .binary || PropertyListForm(start) == .xml
  }

  /// Looks at the bytes; what cannot be read is just bytes.
  package init(_ bytes: [UInt8]) {
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      self = Self.reading(json: bytes)
    } else if PropertyListForm(bytes) == .binary || PropertyListForm(bytes) == .xml {
      self = Self.reading(list: bytes)
    } else {
      self = .bytes
    }
  }

  /// What the model calls the way back to the value.
  package var transformer: String? {
    switch self {
    case .json: "JSON"
    case .list: "property list"
    case .archive: "keyed archive"
    case .bytes: nil
    }
  }

  /// The value as JSON, or `nil` when it is not understood or too long.
  package var json: [UInt8]? {
    switch self {
    case .json(let bytes), .archive(let bytes): bytes
    case .list(let list): PropertyListJSON.bytes(list)
    case .bytes: nil
    }
  }

  private static func reading(json bytes: [UInt8]) -> EncodedData {
    let document = JSONDocument()
    do throws(JSONError) {
      try document.parse(keeping: bytes)
    } catch {
      // Then the bytes are lent as they are, and nothing is lost.
      return .bytes
    }
    var writer = JSONWriter(reservingCapacity: bytes.count)
    document.write(document.root, to: &writer)
    return .json(writer.finished())
  }

  private static func reading(list bytes: [UInt8]) -> EncodedData {
    do throws(PropertyListError) {
      let document = try PropertyListDocument(bytes: bytes)
      // A value that would not show everything stays as it is.
      guard document.notes.isEmpty else { return .bytes }
      let list = document.list
      guard list["$archiver"] != nil else { return .list(list) }
      return .archive(try KeyedArchive(list).json())
    } catch {
      // Then the bytes are lent as they are, and nothing is lost.
      return .bytes
    }
  }
}
