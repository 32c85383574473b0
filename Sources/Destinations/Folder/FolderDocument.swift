import Crypto
import DestinationModel
import Files
import JSONText
import Records
import Synchronization
import TextCodecs
import UploadPlanning

/// A record as it lies in a folder: `{"data":{…},"id":"…"}`.
struct FolderDocument: Sendable {
  let id: String
  let data: JSONObject
  let version: String

  /// The largest document that is read.
  static let largest: Int64 = 64 << 20

  init(id: String, data: JSONObject) {
    self.id = id
    self.data = data
    version = Self.version(of: Self.bytes(id, data))
  }

  /// Reads a file; `nil` when it is no such document.
  init?(_ bytes: [UInt8]) {
    let parsed: JSONValue
    do throws(JSONError) { parsed = try JSONValue(parsing: bytes) } catch { return nil }
    guard let id = parsed["id"]?.text, let data = parsed["data"]?.object else { return nil }
    self.id = id
    self.data = data
    version = Self.version(of: bytes)
  }

  var bytes: [UInt8] { Self.bytes(id, data) }

  var remote: RemoteRecord {
    RemoteRecord(
      serverID: id,
      version: version,
      body: JSONValue.object(data).canonicalBytes
    )
  }

  private static func bytes(_ id: String, _ data: JSONObject) -> [UInt8] {
    JSONValue.object(["id": .string(id), "data": .object(data)]).canonicalBytes + [0x0A]
  }

  private static func version(of bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).prefix(16).hexadecimal
  }
}

/// How identities become names of files, on file systems that state upper from lower case and on those
/// that do not.
enum FolderName {
  /// `a-1.json` for a plain identity; any other keeps what it can, and its digest distinguishes it.
  static func file(of id: String) -> String {
    var text = ""
    var isPlain = !id.isEmpty
    for byte in id.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        text.unicodeScalars.append(Unicode.Scalar(byte + 32))
        isPlain = false
      default:
        text += "_"
        isPlain = false
      }
    }
    if text.utf8.count > 100 {
      text = String(text.prefix(100))
      isPlain = false
    }
    if isPlain { return "\(text).json" }
    return "\(text)~\(SHA256.hash(data: Array(id.utf8)).prefix(10).hexadecimal).json"
  }

  static func folder(of entity: EntityName) -> String {
    let isPlain = entity.text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isPlain ? entity.text : String(file(of: entity.text).dropLast(".json".count))
  }

  /// Where a media file lies below the destination's folder: under its content and the operation that
  /// sent it, so that what another one sent is never taken for it.
  static func media(_ digest: String, of category: String, by operation: String) -> String {
    "media/\(category)/\(digest)-\(operation.prefix(12))"
  }

  /// The same of a file as others know it; `nil` where that is no place of a media file.
  static func media(_ file: MediaReference) -> String? {
    if let place = file.serverID {
      return place.hasPrefix("media/") && !place.split(separator: "/").contains("..") ? place : nil
    }
    guard let operation = file.operation, let category = category(of: file.record.entity) else {
      return nil
    }
    // A destination that keeps files in records has more than the content in their keys.
    let digest = String(file.record.key.prefix(64))
    return media(digest, of: category, by: operation)
  }

  /// Where the media files of a kind lie below the destination's folder; `nil` where it is no such kind.
  static func media(_ entity: EntityName) -> String? {
    category(of: entity).map { "media/\($0)" }
  }

  private static func category(of entity: EntityName) -> String? {
    let mark = "media:"
    return entity.text.hasPrefix(mark) ? String(entity.text.dropFirst(mark.count)) : nil
  }

  /// Whether a name is that of a record that is not in its place yet.
  static func isRecordDraft(_ name: String) -> Bool {
    AtomicFile.isDraft(name) && name.hasSuffix(".json.draft")
  }

  /// Whether a name is that of a media file that is not in its place yet.
  static func isMediaDraft(_ name: String) -> Bool {
    guard AtomicFile.isDraft(name) else { return false }
    let digest = name.utf8.dropFirst().prefix { $0 != UInt8(ascii: "-") }
    return Hexadecimal.bytes(digest, .lowerCase)?.count == 32
  }

  /// The name that a media file will have in its place.
  static func media(ofDraft name: String) -> String {
    String(name.dropFirst().dropLast(".draft".count))
  }
}

/// What is known of the folders: the names of what is in them, listed once for all pages of a reading,
/// and which were written into.
final class FolderShelf: Sendable {
  private let lists = Mutex<[String: [String]]>([:])
  private let written = Mutex<Set<String>>([])

  /// Whether nothing was written into a folder so far.
  func isFirstWriting(into folder: String) -> Bool {
    written.withLock { $0.insert(folder).inserted }
  }

  func names(
    in folder: String,
    isFirst: Bool,
    where isWanted: (String) -> Bool
  ) throws(FileError) -> [String] {
    if !isFirst, let names = lists.withLock({ $0[folder] }) { return names }
    let names = try Folder.names(in: folder).filter(isWanted)
    lists.withLock { $0[folder] = names }
    return names
  }
}

extension Array {
  /// The first place whose element, and every later one, is `true`.
  func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
