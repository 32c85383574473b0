import Foundation
import Testing
import XMLAccess

/// A folder of documents that attack, when there is one.
///
/// `FERRY_HOSTILE` names a folder with an `index.jsonl` and a folder `xml`. In the index, `must`
/// says what a good program does with each file: `accept`, `error`, or `skip` for either.
@Suite(.enabled(if: HostileFiles.folder != nil, "FERRY_HOSTILE is not set"))
struct `Hostile XML files` {
  @Test func `each hostile file is read or refused as its index says`() throws {
    let files = try HostileFiles.files(of: "xml")
    #expect(files.count > 20)
    for file in files where !HostileFiles.aboveXML.contains(file.name) {
      var error: XMLError?
      do throws(XMLError) {
        let reader = try XMLEventReader(path: file.path)
        while try reader.next() != nil {}
      } catch let refusal {
        error = refusal
      }
      switch file.must {
      case "accept": #expect(error == nil, "\(file.name): \(error.map { "\($0)" } ?? "")")
      case "error": #expect(error != nil, "\(file.name)")
      default: break
      }
    }
  }
}

/// The folder of hostile files and what is in it.
enum HostileFiles {
  struct File {
    let name: String
    let path: String
    let must: String
  }

  static let folder = ProcessInfo.processInfo.environment["FERRY_HOSTILE"]

  /// Sound XML whose fault only the reader of its format can see, and some that may go either way.
  static let aboveXML: Set = [
    "xml/version-future.xml", "xml/xinclude.xml", "xml/utf32be.xml", "xml/ws-bomb.xml",
  ]

  static func files(of kind: String) throws -> [File] {
    guard let folder else { return [] }
    return try String(contentsOfFile: "\(folder)/index.jsonl", encoding: .utf8)
      .split(separator: "\n").compactMap { line in
        let data = Data(line.utf8)
        guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any],
          object["kind"] as? String == kind, let name = object["file"] as? String,
          let must = object["must"] as? String
        else { return nil }
        return File(name: name, path: "\(folder)/\(name)", must: must)
      }
  }
}
