import ExportPackage
import JSONText
import LegacyFiles
import PackageStages
import Profiles
import Records
import ResultGrammar
import ResultImport
import ResultText
import StageSupport

/// The entities of the package that an import writes.
struct ImportEntities {
  let results: EntityName
  /// Those of games that no description knows.
  static let undescribed: EntityName = "UndescribedResult"
  /// Those of the streaks that follow from the results; `nil` for none.
  let streaks: EntityName?
  /// As the manifest lists them.
  let listed: [PackageManifest.Entity]
  /// The schemas that they obey.
  let schemas: [PackagedSchema]
}

extension ImportStage {
  /// Those that `base` has, and those of this import behind them.
  func entities(_ base: PackageReader?) throws -> ImportEntities {
    let names = try entityNames()
    var listed = base?.manifest.entities ?? []
    add(names.results, else: "ferry.GameResult.v1.schema.json", role: "own", to: &listed)
    if let streaks = names.streaks {
      add(streaks, else: "ferry.GameStreak.v1.schema.json", role: "derived", to: &listed)
    }
    add(
      ImportEntities.undescribed,
      else: "ferry.UndescribedResult.v1.schema.json",
      role: "own",
      to: &listed
    )
    return ImportEntities(
      results: names.results,
      streaks: names.streaks,
      listed: listed,
      schemas: try PackagedSchema.all(
        listed.map { $0.schema },
        from: base,
        beside: profile?.path ?? ".",
        of: profile
      )
    )
  }

  /// The entities of an import: those the profile names, or results and streaks.
  private func entityNames() throws -> (results: EntityName, streaks: EntityName?) {
    if let imports = profile?.imports { return (imports.results, imports.streaks) }
    guard profile == nil else {
      throw MigrationError.badImport(
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
    _ entities: ImportEntities,
    _ result: ImportResult
  ) throws -> PackageReader {
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
    manifest.entities = entities.listed
    let imports = manifest.unknown["imports"]?.array ?? []
    manifest.unknown["imports"] = .array(imports + [Self.json(of: result)])
    try writer.add(entities.schemas)
    let complete = manifest
    return try writer.finish(complete)
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
    to listed: inout [PackageManifest.Entity]
  ) {
    guard !listed.contains(where: { $0.name == name }) else { return }
    let described = profile?.entity(name)
    listed.append(
      PackageManifest.Entity(
        name: name,
        schema: described == nil ? schema : described?.schema,
        role: described?.role.rawValue ?? role,
        key: "id"
      )
    )
  }

  /// What the manifest says about the import.
  private static func json(of result: ImportResult) -> JSONValue {
    var counts = JSONObject()
    counts["texts"] = .number(JSONNumber(Int64(result.counts.texts)))
    for bucket in TextOutcome.allCases {
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
