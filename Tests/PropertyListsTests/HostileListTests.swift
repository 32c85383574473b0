import Foundation
import JSONText
import PropertyLists
import Testing

/// A folder of lists that attack, when there is one.
///
/// `FERRY_HOSTILE` names a folder with an `index.jsonl` and the folders `plist` and `bplist`. In the
/// index, `must` says what a good program does with each file: `accept`, `error`, or `skip` for
/// either.
@Suite(.enabled(if: HostileLists.folder != nil, "FERRY_HOSTILE is not set"))
struct `Hostile property lists` {
  @Test(arguments: ["plist", "bplist"])
  func `each hostile file is read or refused as its index says`(kind: String) throws {
    let files = try HostileLists.files(of: kind)
    #expect(files.count > 20)
    for file in files where !HostileLists.readAllTheSame.contains(file.name) {
      var refusal: PropertyListError?
      do throws(PropertyListError) {
        let list = try PropertyList(bytes: file.bytes)
        if list["$archiver"] != nil { _ = try KeyedArchive(list).json() }
      } catch {
        refusal = error
      }
      switch file.must {
      case "accept":
        #expect(refusal == nil, "\(file.name): \(refusal?.description ?? "")")
      case "error": #expect(refusal != nil, "\(file.name)")
      default: break
      }
    }
  }
}

/// The folder of hostile lists and what is in it.
enum HostileLists {
  struct File {
    let name: String
    let bytes: [UInt8]
    let must: String
  }

  static let folder = ProcessInfo.processInfo.environment["FERRY_HOSTILE"]

  /// Read, although another reader may refuse them: a cycle is cut, half a pair is noted.
  static let readAllTheSame: Set = ["plist/keyed-archive-cycle.plist", "bplist/utf16-odd.bplist"]

  static func files(of kind: String) throws -> [File] {
    guard let folder else { return [] }
    var files: [File] = []
    for line in try String(contentsOfFile: "\(folder)/index.jsonl", encoding: .utf8)
      .split(separator: "\n")
    {
      guard case .object(let object) = try JSONValue(parsing: String(line)),
        object["kind"]?.text == kind, let name = object["file"]?.text,
        let must = object["must"]?.text,
        let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
      else { continue }
      files.append(File(name: name, bytes: Array(data), must: must))
    }
    return files
  }
}
