import Foundation
import JSONText
import PropertyLists
import Testing

/// Real property lists and archives, when there is a folder of them.
///
/// `FERRY_STORES` names a folder with the folders `plist` and `nskeyed`, each with an
/// `index.jsonl` that says which files two other readers take.
@Suite(.enabled(if: RealLists.folder != nil, "FERRY_STORES is not set"))
struct `Real property lists` {
  @Test(arguments: ["plist", "nskeyed"])
  func `input that two other readers accept is read, and all archives of macOS`(kind: String) throws
  {
    let entries = try RealLists.entries(of: kind)
    #expect(entries.count > 50)
    for entry in entries {
      do throws(PropertyListError) {
        let list = try PropertyListDocument(bytes: entry.bytes).list
        #expect(reads(list) || !entry.name.hasPrefix("swiftlang__"), "\(entry.name)")
      } catch {
        // `.bad` files are tests of the other readers' tolerance.
        let isReadable = entry.isReadByOthers && !entry.name.hasSuffix(".bad")
        #expect(!isReadable, "\(entry.name): \(error)")
      }
    }
  }

  /// Writes what was read, with types, for `agreement.py`.
  @Test(
    .enabled(if: RealLists.dump != nil, "FERRY_DUMP is not set"),
    arguments: ["plist", "nskeyed"]
  )
  func `every list is written for the comparison`(kind: String) throws {
    let folder = try #require(RealLists.dump) + "/" + kind
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for entry in try RealLists.entries(of: kind) {
      var out = JSONWriter()
      do throws(PropertyListError) {
        let document = try PropertyListDocument(bytes: entry.bytes)
        out.beginObject()
        out.name("list")
        TypedDump.write(document.list, to: &out)
        out.name("notes")
        out.beginArray()
        for note in document.notes { out.string(note.description) }
        out.endArray()
        if kind == "nskeyed" {
          out.name("archive")
          do throws(PropertyListError) {
            out.raw(try KeyedArchive(document.list).json())
          } catch {
            out.string("refused: \(error)")
          }
        }
        out.endObject()
      } catch {
        out.beginObject()
        out.name("error")
        out.string(error.description)
        out.endObject()
      }
      try Data(out.bytes).write(to: URL(fileURLWithPath: "\(folder)/\(entry.name).json"))
    }
  }

  @Test func `archives are read, except those made to be refused`() throws {
    let words = [
      "missing_", "wrong_", "invalid", "no_class", "no_objects", "no_top", "objectWithNo", ".plain",
      "plainString", "missingRoot",
    ]
    var archives = 0
    for entry in try RealLists.entries(of: "nskeyed") {
      guard !words.contains(where: { entry.name.contains($0) }) else { continue }
      let list = try PropertyList(bytes: entry.bytes)
      // Two of the files are no archives, but were found among them.
      guard list["$archiver"] != nil else { continue }
      archives += 1
      #expect(throws: Never.self, "\(entry.name)") { try KeyedArchive(list).json() }
    }
    #expect(archives > 50)
  }

  private func reads(_ list: PropertyList) -> Bool {
    guard list["$archiver"] != nil else { return true }
    do throws(PropertyListError) {
      _ = try KeyedArchive(list).json()
      return true
    } catch {
      return false
    }
  }
}

/// The folder of real lists and what is in it.
enum RealLists {
  struct Entry {
    let name: String
    let bytes: [UInt8]
    let isReadByOthers: Bool
  }

  static let folder = ProcessInfo.processInfo.environment["FERRY_STORES"]
  static let dump = ProcessInfo.processInfo.environment["FERRY_DUMP"]

  /// The lists of one kind.
  static func entries(of kind: String) throws -> [Entry] {
    guard let folder else { return [] }
    var entries: [Entry] = []
    for line in try String(contentsOfFile: "\(folder)/\(kind)/index.jsonl", encoding: .utf8)
      .split(separator: "\n")
    {
      guard case .object(let object) = try JSONValue(parsing: String(line)),
        let name = object["file"]?.text,
        let data = FileManager.default.contents(atPath: "\(folder)/\(kind)/\(name)")
      else { continue }
      entries.append(
        Entry(
          name: name,
          bytes: Array(data),
          isReadByOthers: object["parses_with_python_plistlib"] == .boolean(true)
            && object["swift_plutil_lint"] == .boolean(true)
        )
      )
    }
    return entries
  }
}

/// Lists as JSON that keeps every type: `["integer","5"]`, reals and dates as their 64 bits.
enum TypedDump {
  static func write(_ list: PropertyList, to out: inout JSONWriter) {
    out.beginArray()
    switch list {
    case .null: out.string("null")
    case .boolean(let flag): leaf("boolean", flag ? "true" : "false", to: &out)
    case .integer(let number): leaf("integer", "\(number)", to: &out)
    case .unsignedInteger(let number): leaf("integer", "\(number)", to: &out)
    case .real(let number): leaf("real", "\(number.bitPattern)", to: &out)
    case .date(let seconds): leaf("date", "\(seconds.bitPattern)", to: &out)
    case .data(let bytes): leaf("data", Data(bytes).base64EncodedString(), to: &out)
    case .string(let text): leaf("string", text, to: &out)
    case .long(let long): leaf("long", "\(long.count)", to: &out)
    case .uid(let number): leaf("uid", "\(number)", to: &out)
    case .array(let elements): container("array", elements, to: &out)
    case .set(let elements): container("set", elements, to: &out)
    case .dictionary(let members):
      out.string("dictionary")
      out.beginArray()
      for member in members {
        out.beginArray()
        out.string(member.name)
        write(member.value, to: &out)
        out.endArray()
      }
      out.endArray()
    }
    out.endArray()
  }

  private static func leaf(_ kind: String, _ text: String, to out: inout JSONWriter) {
    out.string(kind)
    out.string(text)
  }

  private static func container(
    _ kind: String,
    _ elements: [PropertyList],
    to out: inout JSONWriter
  ) {
    out.string(kind)
    out.beginArray()
    for element in elements { write(element, to: &out) }
    out.endArray()
  }
}
