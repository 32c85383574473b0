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
  func `what two other readers take is read, and all archives of macOS`(kind: String) throws {
    let entries = try RealLists.entries(of: kind)
    #expect(entries.count > 50)
    for entry in entries {
      do throws(PropertyListError) {
        let list = try PropertyList(bytes: entry.bytes)
        #expect(reads(list) || !entry.name.hasPrefix("swiftlang__"), "\(entry.name)")
      } catch {
        // `.bad` files are tests of the other readers' tolerance.
        let isReadable = entry.isReadByOthers && !entry.name.hasSuffix(".bad")
        #expect(!isReadable, "\(entry.name): \(error)")
      }
    }
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

  /// The binary lists of one kind.
  static func entries(of kind: String) throws -> [Entry] {
    guard let folder else { return [] }
    var entries: [Entry] = []
    for line in try String(contentsOfFile: "\(folder)/\(kind)/index.jsonl", encoding: .utf8)
      .split(separator: "\n")
    {
      guard case .object(let object) = try JSONValue(parsing: String(line)),
        let name = object["file"]?.text,
        let data = FileManager.default.contents(atPath: "\(folder)/\(kind)/\(name)"),
        PropertyListForm(data) == .binary
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
