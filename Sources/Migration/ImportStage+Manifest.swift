import ExportPackage
import Files
import JSONText
import LegacyFiles
import Profiles
import Records
import ResultImport
import ResultText

extension ImportStage {
  /// The entities of an import: those the profile names, or results and streaks.
  func entityNames() throws(MigrationError) -> (results: EntityName, streaks: EntityName?) {
    if let imports = profile?.imports { return (imports.results, imports.streaks) }
    guard profile == nil else {
      throw .badImport(
        reason: "the profile \(profile?.path ?? "") says nothing about imports",
        cure: "add a section “import” that names the entity of results"
      )
    }
    return ("GameResult", "GameStreak")
  }

  /// Writes schemas and manifest, and gives the package its name.
  func finish(
    _ writer: PackageWriter,
    _ base: PackageReader?,
    _ files: Records.Digest,
    _ binding: PackageBinding,
    _ names: (results: EntityName, streaks: EntityName?),
    _ result: ImportResult
  ) throws(MigrationError) -> PackageReader {
    var manifest = base?.manifest ?? fresh(files, binding)
    manifest.format = .current
    manifest.tool = PackageManifest.Tool(version: binding.tool)
    manifest.source.digest = binding.source
    manifest.profile = PackageManifest.ProfileMark(
      app: profile?.app ?? base?.manifest.profile.app ?? "results",
      digest: binding.profile
    )
    manifest.dayRule = settings.dayRule.rawValue
    manifest.timeZone = settings.zoneName
    add(names.results, else: "ferry.GameResult.v1.schema.json", role: "own", to: &manifest)
    if let streaks = names.streaks {
      add(streaks, else: "ferry.GameStreak.v1.schema.json", role: "derived", to: &manifest)
    }
    let imports = manifest.unknown["imports"]?.array ?? []
    manifest.unknown["imports"] = .array(imports + [Self.json(of: result)])
    for name in Set(manifest.entities.compactMap(\.schema)).sorted() {
      try addSchema(name, base, to: writer)
    }
    let complete = manifest
    return try packaging { () throws(PackageError) in try writer.finish(complete) }
  }

  private func fresh(_ files: Records.Digest, _ binding: PackageBinding) -> PackageManifest {
    PackageManifest(
      tool: PackageManifest.Tool(version: binding.tool),
      source: PackageManifest.Source(
        kind: "legacy-files",
        store: "import-\(files.description.prefix(32))",
        digest: binding.source,
        modelOrigin: "given"
      ),
      profile: PackageManifest.ProfileMark(app: "results", digest: binding.profile),
      entities: []
    )
  }

  /// Lists an entity, where it is not yet; results keep the place that they have.
  private func add(
    _ name: EntityName,
    else schema: String,
    role: String,
    to manifest: inout PackageManifest
  ) {
    guard manifest.entity(name) == nil else { return }
    let described = profile?.entity(name)
    manifest.entities.append(
      PackageManifest.Entity(
        name: name,
        schema: described == nil ? schema : described?.schema,
        role: described?.role.rawValue ?? role,
        key: "id"
      )
    )
  }

  private func addSchema(
    _ name: String,
    _ base: PackageReader?,
    to writer: PackageWriter
  ) throws(MigrationError) {
    let known = try packaging { () throws(PackageError) in try base?.schema(name) }
    let bytes =
      if let known { known } else {
        try SchemaSource.bytes(of: name, profilePath: profile?.path ?? ".")
      }
    try packaging { () throws(PackageError) in try writer.addSchema(name, bytes) }
  }

  /// What the manifest says about the import.
  private static func json(of result: ImportResult) -> JSONValue {
    var counts = JSONObject()
    counts["texts"] = .number(JSONNumber(Int64(result.counts.texts)))
    for bucket in ImportBucket.allCases {
      counts[bucket.rawValue] = .number(JSONNumber(Int64(result.counts[bucket])))
    }
    counts[OthersResults.member] = .number(JSONNumber(Int64(result.counts.othersResults)))
    return .object([
      "counts": .object(counts),
      "files": .array(
        result.files.map { file in
          .object([
            "name": .string(file.name), "form": .string(file.form.rawValue),
            "texts": .number(JSONNumber(Int64(file.texts))),
          ])
        }
      ),
      "streaksAsOf": result.streakDay.map { .string($0.description) } ?? .null,
    ])
  }
}
