import Files
import LongTexts
import PropertyLists
import XMLAccess

/// The preferences of an Android app (`SharedPreferences`), an XML file, as the keys of a property list.
///
/// | element | becomes |
/// |---|---|
/// | `string` | a string |
/// | `int`, `long` | an integer |
/// | `float` | a real, of the digits that are written |
/// | `boolean` | a boolean |
/// | `set` of strings | an array, sorted by its bytes: the order in the file has no meaning |
/// | `null` | null |
///
/// Any other element is refused with its line. The file is read from front to back, and a long text is not
/// held: a stand-in takes its place. A set is sorted by the stand-in of a long text.
/// https://developer.android.com/reference/android/content/SharedPreferences
struct AndroidPreferences {
  /// Why a long text could not be written, which is no fault of the file that is read.
  final class FileFault {
    var error: FileError?
  }

  private(set) var members: [PropertyList.Member] = []
  private(set) var notes: [PropertyListNote] = []
  private var places: [String: Int] = [:]
  private let reader: XMLEventReader
  private let texts: LongTexts
  private let fault: FileFault

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - path: The private copy.
  ///   - texts: Takes the long texts.
  ///   - fault: Learns why a long text could not be written.
  /// - Throws: ``XMLError`` for what is no XML, and for an element that is not one of these.
  init(_ path: String, _ texts: LongTexts, _ fault: FileFault) throws(XMLError) {
    reader = try XMLEventReader(
      path: path,
      tolerance: [.controlCharacterReferences, .surrogatePairs]
    )
    self.texts = texts
    self.fault = fault
    guard case .start("map", _)? = try reader.next() else {
      throw reader.unexpected("the root element is not “map”")
    }
    while let event = try reader.next() {
      switch event {
      case .start(let element, let attributes): try add(element, attributes)
      case .text(let bytes): try refuse(bytes)
      case .end: break
      }
    }
  }

  private mutating func add(
    _ element: String,
    _ attributes: [XMLAttribute]
  ) throws(XMLError) {
    guard let name = attributes["name"] else {
      throw reader.unexpected("an element “\(element.prefix(60))” has no name")
    }
    let member = PropertyList.Member(name: name, value: try value(element, attributes["value"]))
    if let place = places[name] {
      notes.append(
        .repeatedName(name, dropped: members[place].value, place: "line \(reader.line)")
      )
      members[place] = member
    } else {
      places[name] = members.count
      members.append(member)
    }
  }

  private func value(_ element: String, _ text: String?) throws(XMLError) -> PropertyList {
    switch element {
    case "string": return .string(try string())
    case "set": return .array(try strings().map { .string($0) })
    case "null":
      try reader.skipElement()
      return .null
    case "int", "long":
      return .integer(try scalar(element, text) { Int64($0) })
    case "float":
      return .real(try scalar(element, text) { Double($0) })
    case "boolean":
      return .boolean(try scalar(element, text) { ["true": true, "false": false][$0] })
    default:
      throw reader.unexpected("an element “\(element.prefix(60))” is no preference of Android")
    }
  }

  /// The value of an attribute; the element is passed over.
  private func scalar<Value>(
    _ element: String,
    _ text: String?,
    _ read: (String) -> Value?
  ) throws(XMLError) -> Value {
    guard let value = text.flatMap(read) else {
      throw reader.unexpected("the value of an element “\(element)” cannot be read")
    }
    try reader.skipElement()
    return value
  }

  /// The text of the element that just began, or its stand-in.
  private func string() throws(XMLError) -> String {
    var text: [UInt8] = []
    while text.count <= LongText.mostHeld {
      guard let piece = try piece() else {
        guard text.starts(with: LongText.mark) else { return String(decoding: text, as: UTF8.self) }
        return try standIn(text, isWhole: true)
      }
      text += piece
    }
    return try standIn(text, isWhole: false)
  }

  /// What stands for a text that begins so, of which the rest is read unless it is whole.
  private func standIn(_ start: [UInt8], isWhole: Bool) throws(XMLError) -> String {
    do {
      var writer = try LongStringWriter(texts)
      try writer.take(start)
      while !isWhole, let piece = try piece() { try writer.take(Array(piece)) }
      return String(decoding: try writer.finished().dropFirst().dropLast(), as: UTF8.self)
    } catch let error as XMLError {
      throw error
    } catch {
      fault.error = error as? FileError
      throw XMLError(.unreadable, path: reader.path, line: reader.line, reason: "\(error)")
    }
  }

  /// The next piece of the text of an element; `nil` at its end, which is passed over.
  private func piece() throws(XMLError) -> ArraySlice<UInt8>? {
    switch try reader.next() {
    case .text(let piece): return piece
    case .start(let name, _): throw reader.unexpected("an element “\(name)” inside of text")
    case .end, nil: return nil
    }
  }

  private func strings() throws(XMLError) -> [String] {
    var strings: [String] = []
    while let event = try reader.next() {
      switch event {
      case .start("string", _): strings.append(try string())
      case .start(let element, _):
        throw reader.unexpected("an element “\(element.prefix(60))” in a set of strings")
      case .text(let bytes): try refuse(bytes)
      case .end: return strings.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      }
    }
    return strings
  }

  /// Between elements there is white space only.
  private func refuse(_ text: ArraySlice<UInt8>) throws(XMLError) {
    guard text.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
      throw reader.unexpected("a text outside of a preference")
    }
  }
}
