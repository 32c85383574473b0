import DocumentChecking
import ExportPackage
import Files
import JSONText
import Profiles
import Records
import RecordUpgrades
import StageSupport

extension UpgradeStage {
  /// Makes a package of a file that an older program wrote.
  func upgradeExport(_ interruption: CancellationToken) throws -> UpgradeResult {
    let document = try wholeExport()
    let (declared, export) = try found(document)
    let unknown = export.unknownMembers(of: document)
    guard unknown.isEmpty else {
      throw MigrationError.noUpgrade(
        source,
        "nothing is declared about its “\(unknown.joined(separator: "”, “"))”"
      )
    }
    let digest = try InputFile.sha256(of: source).digest
    guard let sourceDigest = Digest(bytes: digest),
      let noProfile = Digest(bytes: repeatElement(0, count: 32))
    else { preconditionFailure("a SHA-256 has 32 bytes") }
    let ends = export.entities.map { part in
      declared.way(of: part.entity, from: part.schema).last?.to ?? part.schema
    }
    let schemas = try schemas(ends, from: nil)
    let binding = PackageBinding(
      source: Self.digest(of: sourceDigest, by: declared, schemas),
      profile: profile?.digest ?? noProfile,
      tool: toolVersion
    )
    let manifest = manifest(export, of: sourceDigest, declared, binding)
    let writer: PackageWriter
    switch try opening(binding, for: manifest.entities) {
    case .alreadyPresent(let package):
      var result = UpgradeResult(again: package)
      result.leftOut = export.leftOut
      return result
    case .writing(let fresh): writer = fresh
    }
    var result = UpgradeResult()
    result.leftOut = export.leftOut
    for part in export.entities {
      let way = declared.way(of: part.entity, from: part.schema)
      var pass = UpgradePass(entity: part.entity, way: way, writer: writer, old: nil)
      try export.forEachRecord(of: part, in: document) { record in
        if interruption.isCancelled { throw MigrationError.interrupted }
        try pass.take(record)
      }
      result.lines.append(pass.line(from: part.schema))
    }
    try writer.add(schemas)
    result.package = try finish(manifest, result, writer)
    return result
  }

  /// The whole file, which is one document.
  private func wholeExport() throws -> JSONDocument {
    let file = try InputFile(source)
    guard try file.size() <= Int64(Self.largestExport) else {
      throw MigrationError.noUpgrade(
        source,
        "it is one document of more than the \(Self.largestExport >> 20) MiB that are read"
      )
    }
    let bytes = try file.contents(limit: Self.largestExport)
    let document = JSONDocument()
    do throws(JSONError) {
      try document.parse(copying: bytes)
    } catch {
      throw DocumentError.malformed(file: source, line: error.line, reason: error.message)
    }
    return document
  }

  private func manifest(
    _ export: OlderExport,
    of file: Digest,
    _ declared: AppUpgrades,
    _ binding: PackageBinding
  ) -> PackageManifest {
    PackageManifest(
      tool: PackageManifest.Tool(version: toolVersion),
      source: PackageManifest.Source(
        kind: "older-export",
        store: "export-\(file.description.prefix(32))",
        digest: binding.source,
        modelOrigin: "given",
        modelVersions: export.marks.members.compactMap(\.value.text)
      ),
      profile: PackageManifest.ProfileMark(app: declared.app, digest: binding.profile),
      entities: export.entities.map { part in
        PackageManifest.Entity(
          name: part.entity,
          schema: part.schema,
          role: profile?.entity(part.entity)?.role.rawValue ?? "own",
          key: part.key,
          references: part.references.map { PackageManifest.Reference($0) }
        ).upgraded(by: declared.way(of: part.entity, from: part.schema))
      }
    )
  }

  /// What is declared about this file, by the profile's app or by any that Ferry knows.
  private func found(
    _ document: JSONDocument
  ) throws -> (AppUpgrades, OlderExport) {
    let known: [AppUpgrades]
    if profile != nil || upgradesPath != nil {
      known = try declared(for: profile?.app ?? "").map { [$0] } ?? []
    } else {
      known = try AppUpgrades.allPublished()
    }
    for upgrades in known {
      if let export = upgrades.exports.first(where: { $0.fits(document) }) {
        return (upgrades, export)
      }
    }
    let version =
      document.member(of: document.root, named: "version")
      .map { " (its version is \(document.value(of: $0).canonicalText))" } ?? ""
    throw MigrationError.noUpgrade(
      source,
      "it is neither a package nor a known older export\(version)"
    )
  }
}
