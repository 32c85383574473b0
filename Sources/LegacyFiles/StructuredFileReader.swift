import Files
import JSONText
import PropertyLists
import XMLAccess

/// Gives what is found in a property list or in one JSON value.
///
/// An XML list is read part by part, regardless of its size. JSON is held whole, and of every other list all but
/// the long leaves.
final class StructuredFileReader: LegacyReader {
  private var walk: Walk
  private var ready: [LegacyItem]
  private var place = 0
  private let name: String

  private enum Walk {
    case json(JSONWalk)
    case list(PropertyListWalk)
    case over
  }

  /// The largest file that is held whole.
  static let largestFile = 64 << 20

  init(list path: String, name: String, _ options: LegacyOptions) throws(LegacyFileError) {
    self.name = name
    let (size, form) = try Self.filing { () throws(FileError) in
      var file = try InputFile(path)
      return (Int(try file.size()), PropertyListForm(try file.bytes(upTo: 1 << 10)))
    }
    let parts: PropertyListParts
    if form == .xml, let streamed = try Self.parts(ofXML: path, name) {
      parts = streamed
    } else {
      guard size <= Self.largestFile else { throw Self.tooLarge(name) }
      do throws(PropertyListError) {
        let document = try PropertyListDocument(at: path, sizeLimit: Self.largestFile)
        parts = PropertyListParts(document)
      } catch {
        throw Self.fault(error, in: name)
      }
    }
    ready = parts.notes.map { .note(LegacyNote(code: "list", place: "", cause: $0.description)) }
    walk = .list(PropertyListWalk(parts, fileSize: size, options))
  }

  init(json path: String, name: String, _ options: LegacyOptions) throws(LegacyFileError) {
    self.name = name
    ready = []
    let document = JSONDocument()
    let mark = try Self.filing { () throws(FileError) in
      var file = try InputFile(path)
      let size = try file.size()
      guard size <= Int64(Self.largestFile) else { return nil as Int? }
      var mark = 0
      try document.fill(Int(size)) { bytes throws(FileError) in
        unsafe try file.fill(bytes)
        mark = unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      }
      return mark
    }
    guard let mark else { throw Self.tooLarge(name) }
    do throws(JSONError) {
      try document.parseFilled(after: mark)
    } catch {
      throw .malformed(file: name, place: "line \(error.line)", reason: error.message)
    }
    var walk = JSONWalk(options)
    walk.begin(document, place: "")
    self.walk = .json(walk)
  }

  /// The parts of an XML list; `nil` where it has to be held whole, or the system does not give it, which
  /// reading it whole reports in its own words.
  private static func parts(
    ofXML path: String,
    _ name: String
  ) throws(LegacyFileError) -> PropertyListParts? {
    do throws(PropertyListError) {
      return try PropertyListParts { limits, tolerance throws(XMLError) in
        try XMLEventReader(path: path, limits: limits, tolerance: tolerance)
      }
    } catch {
      if case .malformedXML(let fault) = error, fault.cause == .unreadable { return nil }
      throw fault(error, in: name)
    }
  }

  private static func fault(_ error: PropertyListError, in file: String) -> LegacyFileError {
    if case .file(let fault) = error { .file(fault) } else { .list(file: file, error) }
  }

  private static func filing<Value>(
    _ body: () throws(FileError) -> Value
  ) throws(LegacyFileError) -> Value {
    do throws(FileError) { return try body() } catch { throw .file(error) }
  }

  private static func tooLarge(_ name: String) -> LegacyFileError {
    .beyondLimit(
      file: name,
      place: "its whole",
      limit: "it has more than the \(largestFile) bytes that are held"
    )
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    while place >= ready.count {
      place = 0
      switch walk {
      case .json(var json):
        walk = .over
        guard json.isWalking else {
          ready = json.takeFound()
          if let last = json.unlisted { ready.append(last) }
          continue
        }
        json.step()
        ready = json.takeFound()
        walk = .json(json)
      case .list(var list):
        walk = .over
        var isMore = true
        do throws(PropertyListError) { isMore = try list.step() } catch {
          throw Self.fault(error, in: name)
        }
        ready = list.takeFound()
        if isMore { walk = .list(list) } else if let last = list.unlisted { ready.append(last) }
      case .over: return nil
      }
    }
    place += 1
    return ready[place - 1]
  }
}
