import Crypto
import ExportPackage
import JSONText
import Records
import SQLiteStores
import StageSupport
import StoreFiles
import StoreReading

/// One digest for all that was read of a store.
enum SourceDigest {
  /// The digest of the main file, the write-ahead log and the rollback journal; the shared memory
  /// is SQLite's own business and says nothing about the data.
  ///
  /// How many files lie beside the store for large values, and how large they are together, is part of it:
  /// a store that gets them back is another source. So is one that is read otherwise than it says
  /// of itself: with a model that was given, or with the keys of the system. A store without an identity of its own
  /// is another source at another `path`.
  static func digest(
    of source: Source,
    at path: String?
  ) throws -> Records.Digest {
    var hash = SHA256()
    for file in source.files where file.part != .sharedMemory {
      hash.update(data: Array("\(file.part.rawValue):\(file.digest)\n".utf8))
    }
    let folders = try source.externalFolders()
    for folder in folders where folder.fileCount > 0 {
      hash.update(data: Array("external:\(folder.fileCount):\(folder.byteCount)\n".utf8))
    }
    let stores = (source.store as? GatheredStore)?.parts.map(\.store) ?? [source.store]
    for (number, store) in stores.enumerated() where store.model.origin == .given {
      hash.update(data: Array("model:\(number):".utf8) + bytes(of: store.model) + [0x0A])
    }
    if source.options.keepsSystemKeys,
      stores.contains(where: { $0.identity.kind == .preferences })
    {
      hash.update(data: Array("system-keys\n".utf8))
    }
    if let path { hash.update(data: Array("path:\(path)\n".utf8)) }
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }

  /// All of a model that decides how rows are read, in an order that never changes.
  private static func bytes(of model: StoreModel) -> [UInt8] {
    let entities = model.entities.map { entity -> (name: String, value: JSONValue) in
      let content: JSONValue = .object([
        "name": .string(entity.name.text),
        "number": .number(JSONNumber(Int64(entity.number))),
        "superentity": entity.superentity.map { .string($0.text) } ?? .null,
        "abstract": .boolean(entity.isAbstract),
        "renamed": entity.renamingIdentifier.map { .string($0) } ?? .null,
        "attributes": sorted(entity.attributes.map { ($0.name, value(of: $0)) }),
        "relationships": sorted(entity.relationships.map { ($0.name, value(of: $0)) }),
      ])
      return (entity.name.text, content)
    }
    let whole: JSONValue = .object([
      "versions": .array(model.versionIdentifiers.map { .string($0) }),
      "entities": sorted(entities),
    ])
    return whole.canonicalBytes
  }

  private static func value(of attribute: StoreAttribute) -> JSONValue {
    var parts: JSONValue = .null
    var kind = "\(attribute.kind)"
    if case .composite(let inner, let isEnumeration) = attribute.kind {
      parts = .array(inner.map { value(of: $0) })
      kind = isEnumeration ? "enumeration" : "composite"
    }
    return .object([
      "name": .string(attribute.name), "kind": .string(kind), "parts": parts,
      "optional": .boolean(attribute.isOptional), "transient": .boolean(attribute.isTransient),
      "derived": .boolean(attribute.isDerived),
      "external": .boolean(attribute.allowsExternalStorage),
    ])
  }

  private static func value(of relationship: StoreRelationship) -> JSONValue {
    .object([
      "name": .string(relationship.name),
      "destination": .string(relationship.destination.text),
      "inverse": relationship.inverse.map { .string($0) } ?? .null,
      "many": .boolean(relationship.isToMany), "ordered": .boolean(relationship.isOrdered),
      "optional": .boolean(relationship.isOptional),
    ])
  }

  private static func sorted(_ values: [(name: String, value: JSONValue)]) -> JSONValue {
    .array(
      values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map { $0.value }
    )
  }
}
