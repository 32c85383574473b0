import Files
import JSONText
import SchemaValidation
import Synchronization
import TextCodecs

/// A folder whose files represent the addresses below a base, so that references resolve without a
/// network.
///
/// With `https://example.com/schemas/` and `/srv/schemas`, a reference to
/// `https://example.com/schemas/a/hero.json` means `/srv/schemas/a/hero.json`. Only files that a reference
/// leads to are read: the others may be anything.
package struct SchemaFolder: Hashable, Sendable {
  package let base: String
  package let path: String

  /// How large each file may be, and how deep it may lie.
  private static let largestFile = 16 << 20
  private static let greatestDepth = 32

  package init(base: String, path: String) {
    self.base = base.hasSuffix("/") ? base : base + "/"
    self.path = path
  }

  /// Takes `BASE=FOLDER`, or gives `nil` for a text that is not of this form.
  package init?(parsing text: String) {
    // An address may have an equals sign in its query; a folder's name hardly ever does.
    guard let sign = text.lastIndex(of: "=") else { return nil }
    let (base, path) = (text[..<sign], text[text.index(after: sign)...])
    guard base.contains(":"), !path.isEmpty else { return nil }
    self.init(base: String(base), path: String(path))
  }

  /// The file that represents an address, as a path inside the folder; `nil` if it does not exist.
  func file(of address: String) -> String? {
    guard address.utf8.starts(with: base.utf8) else { return nil }
    let parts = address.dropFirst(base.count).split(
      separator: "/",
      omittingEmptySubsequences: false
    )
    let names = [parts.map(String.init), parts.map { PercentCoding.decoded($0) }]
    for names in names where names.allSatisfy(Self.isName) {
      let name = names.joined(separator: "/")
      if InputFile.isPresent("\(path)/\(name)"), !Folder.exists("\(path)/\(name)") { return name }
    }
    return nil
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == 0 || $0 == 0x2F }
  }

  func contents(of name: String) throws(FileError) -> [UInt8] {
    try InputFile.contents(of: "\(path)/\(name)", limit: Self.largestFile)
  }

  /// The files of the folder that may be schemas: those named `….json`, and those without an extension.
  ///
  /// A folder in it that cannot be listed is added to `unread`, with the reason.
  fileprivate func names(unread: inout [String]) -> [String] {
    var found: [String] = []
    var waiting = [(name: "", depth: 0)]
    while let folder = waiting.popLast() {
      let here: [String]
      do throws(FileError) {
        here = try Folder.names(in: folder.name.isEmpty ? path : "\(path)/\(folder.name)")
      } catch {
        unread.append("\(error)")
        continue
      }
      for name in here where !name.hasPrefix(".") {
        let inner = folder.name.isEmpty ? name : "\(folder.name)/\(name)"
        if Folder.isReal("\(path)/\(inner)") {
          if folder.depth < Self.greatestDepth { waiting.append((inner, folder.depth + 1)) }
        } else if name.hasSuffix(".json") || !name.contains(".") {
          found.append(inner)
        }
      }
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// Finds schemas in folders: by the path that an address represents, else by the address that a schema
/// gives itself.
final class SchemaFolders: SchemaFinder {
  private let folders: [SchemaFolder]
  /// What the files say of themselves, once that was asked for.
  private let identified = Mutex<Identified?>(nil)

  private struct Place: Hashable {
    let folder: Int
    let name: String
  }

  private struct Identified {
    /// The files by the addresses that schemas in them give themselves.
    var files: [String: [Place]] = [:]
    /// Why files and folders could not be read, of which any may give itself an address.
    var unread: [String] = []
  }

  /// Reasons that one message names.
  private static let mostReasons = 3

  init(_ folders: [SchemaFolder]) { self.folders = folders }

  func document(
    with address: String
  ) throws(SchemaError) -> (address: String, bytes: [UInt8])? {
    for (number, folder) in folders.enumerated() {
      if let name = folder.file(of: address) { return try document(name, in: number, at: address) }
    }
    let identified = identifiedFiles()
    if let places = identified.files[address], let place = places.first {
      try expectOneSchema(with: address, in: places)
      return try document(place.name, in: place.folder, at: folders[place.folder].base + place.name)
    }
    guard !identified.unread.isEmpty else { return nil }
    let reasons = identified.unread.prefix(Self.mostReasons).joined(separator: "; ")
    throw SchemaError(
      address: address,
      location: "",
      reason: .unreadable("no file that can be read has this schema, and \(reasons)")
    )
  }

  /// Refuses an address that several files give to schemas that differ.
  private func expectOneSchema(
    with address: String,
    in places: [Place]
  ) throws(SchemaError) {
    guard places.count > 1 else { return }
    var unread: [String] = []
    var known: (place: Place, schema: JSONValue)?
    for place in places {
      let folder = folders[place.folder]
      guard let value = json(of: place.name, in: folder, unread: &unread) else { continue }
      for part in SchemaSet.identified(in: value, at: folder.base + place.name)
      where part.address == address {
        guard let first = known else {
          known = (place, part.value)
          continue
        }
        guard first.place != place, first.schema != part.value else { continue }
        let files = [first.place, place].map { "\(folders[$0.folder].path)/\($0.name)" }
        throw SchemaError(address: address, location: "", reason: .ambiguous(files: files))
      }
    }
  }

  private func document(
    _ name: String,
    in folder: Int,
    at address: String
  ) throws(SchemaError) -> (address: String, bytes: [UInt8]) {
    do throws(FileError) {
      return (address, try folders[folder].contents(of: name))
    } catch {
      throw SchemaError(address: address, location: "", reason: .unreadable("\(error)"))
    }
  }

  private func identifiedFiles() -> Identified {
    if let known = identified.withLock({ $0 }) { return known }
    var result = Identified()
    for (number, folder) in folders.enumerated() {
      for name in folder.names(unread: &result.unread) {
        guard let value = json(of: name, in: folder, unread: &result.unread) else { continue }
        let place = Place(folder: number, name: name)
        for (address, _) in SchemaSet.identified(in: value, at: folder.base + name)
        where result.files[address]?.last != place {
          result.files[address, default: []].append(place)
        }
      }
    }
    identified.withLock { $0 = result }
    return result
  }

  /// The JSON of a file; `nil` where it is not one or cannot be read.
  ///
  /// A file without an extension may be anything, so it need not be JSON.
  private func json(
    of name: String,
    in folder: SchemaFolder,
    unread: inout [String]
  ) -> JSONValue? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try folder.contents(of: name)
    } catch {
      unread.append("\(error)")
      return nil
    }
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch {
      if name.hasSuffix(".json") { unread.append("\(folder.path)/\(name) is not JSON: \(error)") }
      return nil
    }
  }
}

/// Runs `body` and wraps what the system refused.
func filing<Value: ~Copyable>(
  _ value: @autoclosure () throws(FileError) -> Value
) throws(DocumentError) -> Value {
  do throws(FileError) { return try value() } catch { throw .file(error) }
}
