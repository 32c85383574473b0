package import Crypto
package import ExportPackage
import Files
import ProfileSettings
package import Profiles
package import Records
import SchemaValidation
import Schemas

/// A schema that a package holds.
package struct PackagedSchema: Hashable, Sendable {
  package let name: String
  package let bytes: [UInt8]
  /// The file of the user's that it was read from, which may change.
  let file: String?

  /// The schemas of these names, each read once: that of an older package, the published one, or a
  /// file that lies beside `path`, which is the profile's where there is one.
  package static func all(
    _ names: [String?],
    from old: PackageReader? = nil,
    beside path: String,
    of profile: Profile?
  ) throws -> [PackagedSchema] {
    var schemas: [PackagedSchema] = []
    for case let name? in names where !schemas.contains(where: { $0.name == name }) {
      schemas.append(try PackagedSchema(name, from: old, beside: path, of: profile))
    }
    return schemas
  }

  private init(
    _ name: String,
    from old: PackageReader?,
    beside path: String,
    of profile: Profile?
  ) throws {
    let known = try old?.schema(name)
    let settled = known ?? PublishedSchemas.bytes(named: name)
    let file = "\(Folder.parentPath(of: path))/\(name)"
    let bytes =
      if let settled { settled } else {
        try Self.contents(of: file, named: name, by: profile)
      }
    self.name = name
    self.bytes = bytes
    self.file = settled == nil ? file : nil
  }

  /// What the file of a schema holds; if it is missing, that is a fault of the profile if it names it.
  private static func contents(
    of file: String,
    named name: String,
    by profile: Profile?
  ) throws -> [UInt8] {
    do throws(FileError) {
      return try InputFile.contents(of: file, limit: 16 << 20)
    } catch {
      guard error.isMissing, let profile,
        let entity = profile.entities.first(where: { $0.schema == name })
      else { throw error }
      let log = FaultLog(of: profile.settings)
      log.add(
        at: "/entities/\(entity.name)/schema",
        "no schema “\(name)” is published, and there is no file \(file)",
        cure: "correct the name, or put the schema there"
      )
      throw ProfileError(faults: log.faults)
    }
  }

  /// The digest of a profile and of the schemas that lie beside it; its own where none does.
  package static func digest(
    of profile: Records.Digest,
    with schemas: [PackagedSchema]
  ) -> Records.Digest {
    guard schemas.contains(where: { $0.file != nil }) else { return profile }
    var hash = SHA256()
    hash.update(data: Array("profile\n".utf8))
    hash.update(data: profile.bytes)
    add(schemas, to: &hash)
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }

  /// Adds those that lie beside; the others are in what was read, or in the program.
  package static func add(_ schemas: [PackagedSchema], to hash: inout SHA256) {
    for schema in schemas where schema.file != nil {
      hash.update(data: Array("\nschema:\(schema.name)\n\(schema.bytes.count):".utf8))
      hash.update(data: schema.bytes)
    }
  }
}

extension PackageWriter {
  /// Adds the schemas that the records obey.
  package func add(_ schemas: [PackagedSchema]) throws {
    for schema in schemas {
      try addSchema(schema.name, schema.bytes)
    }
  }
}

extension [PackagedSchema] {
  /// Makes sure that records can be held against each of them.
  ///
  /// - Throws: `SchemaError` for one that is not a schema, or of a draft that is not read; it names the
  ///   file of one that lies beside.
  package func check() throws {
    do {
      let set = try PackageReader.schemaSet(of: map { ($0.name, $0.bytes) })
      for schema in self { _ = try set.schema(at: PackageReader.schemaAddress(of: schema.name)) }
    } catch let error as SchemaError {
      let meant = first { PackageReader.schemaAddress(of: $0.name) == error.address }
      guard let file = meant?.file else { throw error }
      throw SchemaError(address: file, location: error.location, reason: error.reason)
    }
  }
}
