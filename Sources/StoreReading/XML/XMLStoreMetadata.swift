import TextCodecs
import XMLAccess

/// What an XML store says about itself, under `databaseInfo`.
struct XMLStoreMetadata {
  private(set) var uuid: String?
  private(set) var frameworkVersion: Int?
  private(set) var versionIdentifiers: [String] = []
  /// The hash of each entity's definition, by the entity's name in its own letters.
  private(set) var versionHashes: [String: [UInt8]] = [:]

  private static let textLimit = 1 << 20

  /// Nothing is known: some writers leave the part out.
  init() {}

  /// Reads the element that just began.
  init(_ reader: XMLEventReader) throws(XMLError) {
    let outside = reader.depth - 1
    while reader.depth > outside, let event = try reader.next() {
      guard case .start(let name, _) = event else { continue }
      switch name {
      case "UUID": try addIdentity(reader)
      case "metadata", "plist": break
      case "dict": try readDictionary(reader, under: [])
      default: try reader.skipElement()
      }
    }
  }

  /// Reads the dictionary that just began; what the app put there is passed over unread.
  private mutating func readDictionary(
    _ reader: XMLEventReader,
    under keys: [String]
  ) throws(XMLError) {
    let outside = reader.depth - 1
    var key = ""
    while reader.depth > outside, let event = try reader.next() {
      guard case .start(let name, _) = event else { continue }
      switch (name, keys + [key]) {
      case ("key", _): key = try Self.text(reader)
      case ("dict", ["NSStoreModelVersionHashes"]): try readDictionary(reader, under: [key])
      case ("string", ["NSStoreUUID"]): try addIdentity(reader)
      case ("data", let path) where path.count == 2: try addHash(Self.text(reader), of: key)
      case ("integer", ["NSPersistenceFrameworkVersion"]):
        frameworkVersion = Int(try Self.text(reader))
      case ("array", ["NSStoreModelVersionIdentifiers"]): break
      case ("string", ["NSStoreModelVersionIdentifiers"]):
        versionIdentifiers.append(try Self.text(reader))
      default: try reader.skipElement()
      }
    }
  }

  /// The identity decides which earlier runs a store belongs to, so it must be one.
  private mutating func addIdentity(_ reader: XMLEventReader) throws(XMLError) {
    let text = try Self.text(reader)
    if let uuid, uuid.uppercased() != text.uppercased() {
      throw reader.unexpected("a second identity, \(text), beside \(uuid)")
    }
    uuid = uuid ?? text
  }

  private mutating func addHash(_ text: String, of entity: String) {
    if let bytes = Base64.bytes(spaced: Array(text.utf8)) { versionHashes[entity] = bytes }
  }

  private static func text(_ reader: XMLEventReader) throws(XMLError) -> String {
    String(decoding: try reader.text(limit: textLimit), as: UTF8.self)
  }
}
