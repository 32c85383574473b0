package import ExportPackage
import JSONText
import LongTexts
import Records
package import Redaction
package import StageSupport

extension PackageManifest {
  /// The member that says that a package is redacted.
  static let redactionMember = "redacted"

  /// Whether the records are placeholders, which must never reach a destination.
  package var isRedacted: Bool { unknown[Self.redactionMember] != nil }
}

/// Writes a package again without what its records say, to be handed to another person.
///
/// How records are made, what was rejected and the counts stay; see `Redaction`. Media files are left
/// out and counted. The new package says that it is redacted, and is never sent.
package struct RedactionStage: Sendable {
  /// Where the long texts of the package lie.
  private let texts = LongTexts()
  let old: PackageReader
  let output: String
  let pseudonyms: Pseudonyms
  let keys: PackageKeys
  let progress: ProgressReporter

  package init(
    _ old: PackageReader,
    output: String,
    pseudonyms: Pseudonyms,
    keys: PackageKeys,
    progress: ProgressReporter
  ) {
    self.old = old.standingIn(texts)
    self.output = output
    self.pseudonyms = pseudonyms
    self.keys = keys
    self.progress = progress
  }

  package func run(interruption: CancellationToken) throws -> PackageReader {
    let manifest = manifest()
    let binding = manifest.binding
    let opening = try PackageWriter.open(output, binding: binding, keys: keys)
    let writer: PackageWriter
    switch opening {
    case .alreadyPresent(let package):
      guard package.manifest.binding == binding, package.manifest.isRedacted else {
        throw MigrationError.packageInTheWay(output)
      }
      return package
    case .writing(let fresh): writer = fresh
    }
    let schemas = try schemas()
    for schema in schemas { try add(schema, to: writer) }
    for entity in old.manifest.entities {
      let redactor = RecordRedactor(
        pseudonyms: pseudonyms,
        schema: schemas.first { $0.name == entity.schema }?.value,
        identities: Set([entity.key] + entity.references.map(\.member)),
        excerpt: { [texts] text in Self.excerpt(of: text, in: texts) }
      )
      try write(entity, by: redactor, to: writer, interruption)
    }
    return try writer.finish(manifest)
  }

  /// Of a long text the beginning with the digest of all of it, and of any other text all.
  ///
  /// The beginning shows the kind of the text. It is as long as a placeholder may be.
  private static func excerpt(of text: String, in texts: LongTexts) -> String {
    guard let long = LongText(standIn: Array(text.utf8)) else { return text }
    return (texts.beginning(of: long, upTo: 65_472) ?? "") + long.digest.description
  }

  /// A schema of the old package.
  private struct Named {
    let name: String
    let bytes: [UInt8]
    let value: JSONValue
  }

  private func schemas() throws -> [Named] {
    let files = try old.schemas()
    var schemas: [Named] = []
    for file in files {
      do throws(JSONError) {
        let value = try JSONValue(parsing: file.bytes)
        schemas.append(Named(name: file.name, bytes: file.bytes, value: value))
      } catch {
        throw PackageError.damaged(path: old.path, reason: "\(file.name) is not JSON: \(error)")
      }
    }
    return schemas
  }

  /// Adds a schema without what it shows of single records; one that shows nothing stays as it is.
  private func add(_ schema: Named, to writer: PackageWriter) throws {
    let value = SchemaRedactor(pseudonyms: pseudonyms).redacted(schema.value)
    let bytes = value == schema.value ? schema.bytes : Array((value.prettyText + "\n").utf8)
    try writer.addSchema(schema.name, bytes)
  }

  private func write(
    _ entity: PackageManifest.Entity,
    by redactor: RecordRedactor,
    to writer: PackageWriter,
    _ interruption: CancellationToken
  ) throws {
    let written = writer.lastPlace(of: entity.name) ?? 0
    var place: Int64 = 0
    try old.forEachRecord(of: entity.name) { line, _ in
      if interruption.isCancelled { throw MigrationError.interrupted }
      place += 1
      guard place > written else { return }
      let at = place
      var output = JSONWriter(reservingCapacity: line.count)
      output.raw(JSONValue.object(redactor.redacted(try record(line))).canonicalBytes)
      try output.withBytes { bytes throws(PackageError) in
        try writer.add(bytes, of: entity.name, place: at)
      }
    }
    let rejects = try old.rejects(of: entity.name)
    while let line = try rejects.next().map({ [UInt8]($0.line) }) {
      place += 1
      guard place > written else { continue }
      let at = place
      let kept = Self.reject(try record(line), by: redactor).canonicalBytes
      try writer.reject(kept, of: entity.name, place: at)
    }
  }

  private func record(_ line: [UInt8]) throws -> JSONObject {
    let record: JSONObject?
    do throws(JSONError) {
      record = try JSONValue(parsing: line).object
    } catch {
      throw PackageError.damaged(path: old.path, reason: "a record is not JSON: \(error)")
    }
    guard let record else {
      throw PackageError.damaged(path: old.path, reason: "a record is not an object")
    }
    return record
  }

  /// Why a row was rejected, without the words that may quote it.
  private static func reject(_ line: JSONObject, by redactor: RecordRedactor) -> JSONValue {
    var kept = JSONObject()
    for name in ["entity", "place", "code", "member", "form"] { kept[name] = line[name] }
    kept["cause"] = "left out, for it may quote what was in the row"
    if let record = line["record"]?.object { kept["record"] = .object(redactor.redacted(record)) }
    return .object(kept)
  }

  /// The manifest without what reports the source, which a pseudonym represents.
  private func manifest() -> PackageManifest {
    var manifest = old.manifest
    let source = manifest.source
    manifest.source.store = pseudonyms.digits(source.store, in: "store", count: 32)
    manifest.source.path = nil
    let digest = pseudonyms.digits(source.digest.description, in: "source", count: 64)
    manifest.source.digest = Digest(hexadecimal: digest) ?? source.digest
    manifest.files = []
    manifest.unknown = JSONObject()
    manifest.unknown[PackageManifest.redactionMember] = [
      "mediaLeftOut": [
        "files": .number(JSONNumber(old.manifest.media.files)),
        "bytes": .number(JSONNumber(old.manifest.media.bytes)),
      ]
    ]
    for index in manifest.entities.indices {
      manifest.entities[index].unknown = JSONObject()
    }
    return manifest
  }
}

extension ExportResult {
  /// What the export came to, with the redacted package in the place of the whole one.
  package func redacted(as package: PackageReader) -> ExportResult {
    ExportResult(
      package: package,
      sourceFiles: sourceFiles,
      findings: findings,
      alreadyExisted: false
    )
  }
}
