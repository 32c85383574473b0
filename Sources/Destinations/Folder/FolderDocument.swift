import Crypto
import DestinationModel
import Files
import JSONText
import LongTexts
import Records
import Synchronization
import TextCodecs
import UploadPlanning

/// A record as it lies in a folder: `{"data":{…},"id":"…"}`, with stand-ins for its long texts where those are in
/// use.
struct FolderDocument: Sendable {
  let id: String
  let data: JSONObject
  let version: String

  /// How many bytes of a document are held at most.
  static let mostHeld = 64 << 20

  /// Reads what a file has; `nil` when it is no such document.
  init?(_ bytes: [UInt8], version: String) {
    guard let parsed = JSONObject(parsing: bytes), let id = parsed["id"]?.text,
      let data = parsed["data"]?.object
    else { return nil }
    self.id = id
    self.data = data
    self.version = version
  }

  /// What a file has, and its version; `nil` for a file of which too much would be held.
  ///
  /// Its long texts are put into `texts`, and do not count. Where there are none, it is held with them.
  static func read(
    _ path: String,
    _ texts: LongTexts?
  ) throws(FileError) -> (bytes: [UInt8], version: String)? {
    let file = try InputFile(path, followsLinks: false)
    let size = try file.size()
    var hash = SHA256()
    guard let texts else {
      guard size <= mostHeld else { return nil }
      let bytes = size == 0 ? [] : try file.bytes(at: 0, count: Int(size))
      hash.update(data: bytes)
      return (bytes, version(of: Array(hash.finalize())))
    }
    var filter = LongTextFilter(texts, .written)
    var place: Int64 = 0
    while place < size {
      let piece = try file.bytes(at: place, count: Int(min(pieceSize, size - place)))
      hash.update(data: piece)
      try filter.take(piece)
      guard filter.output.count <= mostHeld else { return nil }
      place += Int64(piece.count)
    }
    return (filter.finished(), version(of: Array(hash.finalize())))
  }

  private static let pieceSize: Int64 = 1 << 18

  /// The bytes of a file, in which a stand-in is still to be replaced by its text.
  static func bytes(id: String, data: JSONObject) -> [UInt8] {
    JSONValue.object(["id": .string(id), "data": .object(data)]).canonicalBytes + [0x0A]
  }

  var remote: RemoteRecord {
    RemoteRecord(
      serverID: id,
      version: version,
      body: JSONValue.object(data).canonicalBytes
    )
  }

  /// The version of a file, by its SHA-256.
  static func version(of digest: [UInt8]) -> String { digest.prefix(16).hexadecimal }
}

/// How identities become names of files, on file systems that state upper from lower case and on those
/// that do not.
enum FolderName {
  /// `a-1.json` for a plain identity; any other keeps what it can, and its digest distinguishes it.
  static func file(of id: String) -> String { "\(name(of: id, isPlain: !id.isEmpty)).json" }

  /// The plain letters of a text, with its digest behind them unless it is plain as a whole.
  private static func name(of id: String, isPlain: Bool) -> String {
    var text = ""
    var isPlain = isPlain
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
    if isPlain { return text }
    return "\(text)~\(SHA256.hash(data: Array(id.utf8)).prefix(10).hexadecimal)"
  }

  /// An entity's folder: called like the entity, unless other characters are in the name or the media files' folder
  /// has it.
  static func folder(of entity: EntityName) -> String {
    let isFree = entity.text.lowercased() != "media"
    let isPlain = entity.text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isPlain && isFree ? entity.text : name(of: entity.text, isPlain: isFree)
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
/// and which were written into; and where the long texts of the records are, once that is settled.
final class FolderShelf: Sendable {
  private let lists = Mutex<[String: [String]]>([:])
  private let written = Mutex<Set<String>>([])
  private let longTexts = Mutex<LongTexts?>(nil)

  var texts: LongTexts? { longTexts.withLock { $0 } }

  func use(_ texts: LongTexts) { longTexts.withLock { $0 = texts } }

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
