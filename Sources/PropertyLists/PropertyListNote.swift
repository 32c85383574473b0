import Files
import XMLAccess

/// Something in a property list that the value read from it does not show.
package enum PropertyListNote: Hashable, Sendable {
  /// A dictionary has a name twice; the later value counts, this is the earlier one.
  case repeatedName(String, dropped: PropertyList, place: String)
  /// Half a surrogate pair, which no text can hold, became U+FFFD.
  case loneSurrogate(place: String)
  /// Text that should be ASCII is neither that nor UTF-8, and was read as Latin-1.
  case assumedLatin1(place: String)
  /// A number as written that is too large or too small for a double.
  case realBeyondDouble(String, place: String)

  /// Refuses what a list with these notes has lost, where nothing may be.
  static func refuseRepeatedNames(_ notes: [Self]) throws(PropertyListError) {
    for case .repeatedName(let name, _, let place) in notes {
      throw .repeatedName(name: name, place: place)
    }
  }
}

extension PropertyListNote: CustomStringConvertible {
  package var description: String {
    switch self {
    case .repeatedName(let name, _, let place):
      "\(place): the name “\(name.prefix(60))” comes twice in one dictionary; the later value counts"
    case .loneSurrogate(let place):
      "\(place): half a surrogate pair became U+FFFD"
    case .assumedLatin1(let place):
      "\(place): text that is neither ASCII nor UTF-8 was read as Latin-1"
    case .realBeyondDouble(let text, let place):
      "\(place): the number \(text) is beyond what a double holds"
    }
  }
}

/// A property list with its form and all that its value does not show.
///
/// `PropertyList(bytes:)` refuses a list in which a name comes twice. This reads it as Apple's
/// frameworks do, where the later value counts, and keeps the earlier one among the ``notes``.
package struct PropertyListDocument: Sendable {
  package let form: PropertyListForm
  package let list: PropertyList
  package let notes: [PropertyListNote]

  package init(
    bytes: [UInt8],
    limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    guard let form = PropertyListForm(bytes) else { throw .unknownForm }
    self.form = form
    switch form {
    case .binary:
      (list, notes) = try BinaryPropertyList.read(bytes, limits: limits)
    case .xml:
      (list, notes) = try Self.readXML(limits, nil) { limits, tolerance throws(XMLError) in
        try XMLEventReader(bytes: bytes, limits: limits, tolerance: tolerance)
      }
    case .oldStyle:
      var reader = try OldStyleReader(bytes, limits: limits)
      list = try reader.document()
      notes = reader.notes
    case .otherBinary, .typedStream, .cappuccino:
      throw .unsupportedForm(form)
    }
  }

  /// Reads a list from its file; errors of XML do not name the file.
  ///
  /// Of XML and of a binary list no text of more than 1 MiB is held, nor data, unless it begins like JSON or a
  /// property list, which is decoded. Where such a leaf lies in the file, it is read from there. The file
  /// stays open for that; another one may take its path, and reading fails once anyone has written into it. A list in
  /// the old style is held whole.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - sizeLimit: How many bytes it may have, unless it is XML.
  ///   - limits: How deep and large the list may be.
  /// - Throws: ``PropertyListError``, also for a file that the system does not give.
  package init(
    at path: String,
    sizeLimit: Int,
    limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    let start = try filing { () throws(FileError) in
      var file = try InputFile(path)
      return PropertyListForm(try file.bytes(upTo: 1 << 10))
    }
    switch start {
    case .xml:
      form = .xml
      (list, notes) = try Self.readXML(at: path, limits)
    case .binary:
      form = .binary
      let file = try filing { () throws(FileError) in try ListFile(path, limit: sizeLimit) }
      (list, notes) = try BinaryPropertyList.read(file, limits: limits)
    default:
      let bytes = try filing { () throws(FileError) in
        try InputFile.contents(of: path, limit: sizeLimit)
      }
      self = try PropertyListDocument(bytes: bytes, limits: limits)
    }
  }

  private static func readXML(
    at path: String,
    _ limits: PropertyListLimits
  ) throws(PropertyListError) -> (PropertyList, [PropertyListNote]) {
    do throws(PropertyListError) {
      return try readXML(limits, LeafScratch(limits)) { limits, tolerance throws(XMLError) in
        try XMLEventReader(path: path, limits: limits, tolerance: tolerance)
      }
    } catch {
      guard case .malformedXML(let fault) = error else { throw error }
      throw .malformedXML(
        XMLError(fault.cause, line: fault.line, column: fault.column, reason: fault.reason)
      )
    }
  }

  private static func readXML(
    _ limits: PropertyListLimits,
    _ scratch: LeafScratch?,
    opening open: (XMLLimits, XMLEventReader.Tolerance) throws(XMLError) -> XMLEventReader
  ) throws(PropertyListError) -> (PropertyList, [PropertyListNote]) {
    var reader = try XMLPropertyList(opening: open, limits, scratch)
    return (try reader.document(), reader.notes)
  }
}

extension PropertyList {
  /// Reads a property list of any form; a name that comes twice in a dictionary is refused.
  package init(bytes: [UInt8], limits: PropertyListLimits = .standard) throws(PropertyListError) {
    let document = try PropertyListDocument(bytes: bytes, limits: limits)
    try PropertyListNote.refuseRepeatedNames(document.notes)
    self = document.list
  }
}
