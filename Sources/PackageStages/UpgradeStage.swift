import Crypto
package import ExportPackage
import Files
package import JSONText
package import Profiles
package import Records
package import RecordUpgrades
package import StageSupport

/// What an upgrade came to.
package struct UpgradeResult: Sendable {
  /// The new package; `nil` when there was nothing to upgrade.
  package var package: PackageReader?
  package var lines: [Line] = []
  /// Whether an earlier run wrote the same package.
  package var alreadyExisted = false
  /// Members of an older export that became no record, and why.
  package var leftOut: [OlderExport.Note] = []
  /// What holding the new package against its schemas showed.
  package var validation = ValidationReport()

  /// What became of one entity.
  package struct Line: Sendable {
    package let entity: EntityName
    /// The schemas on the way, the oldest first; one where nothing changed.
    package let schemas: [String]
    package let steps: [(step: UpgradeStep, count: Int64)]
    package let recordCount: Int64
    package let rejectedCount: Int64
  }

  package var rejectedCount: Int64 { lines.reduce(0) { $0 + $1.rejectedCount } }

  init() {}

  /// What an earlier run came to, as far as its package says.
  init(again package: PackageReader) {
    self.package = package
    alreadyExisted = true
    lines = package.manifest.entities.map { entity in
      Line(
        entity: entity.name,
        schemas: entity.schema.map { [$0] } ?? [],
        steps: [],
        recordCount: entity.records,
        rejectedCount: entity.rejected
      )
    }
  }
}

/// Brings a package, or a file that an older program wrote, to the newest version of its schemas.
///
/// The result is a new package, validated; what was read is not touched.
package struct UpgradeStage: Sendable {
  let source: String
  let output: String
  let profile: Profile?
  let upgradesPath: String?
  let toolVersion: String
  /// Whom the new package is encrypted to, and what opens the old one and, to be checked, the new.
  let keys: PackageKeys
  let progress: ProgressReporter

  /// The largest export of an older program that is read: it is held whole.
  static let largestExport = 64 << 20

  package init(
    source: String,
    output: String,
    profile: Profile?,
    upgradesPath: String?,
    toolVersion: String,
    keys: PackageKeys = .none,
    progress: ProgressReporter
  ) {
    self.source = source
    self.output = output
    self.profile = profile
    self.upgradesPath = upgradesPath
    self.toolVersion = toolVersion
    self.keys = keys
    self.progress = progress
  }

  package func run(interruption: CancellationToken) async throws -> UpgradeResult {
    var result =
      Folder.exists(source)
      ? try upgradePackage(interruption) : try upgradeExport(interruption)
    if let package = result.package {
      let stage = ValidationStage(
        package: package,
        workers: ValidationStage.usualWorkers,
        progress: progress
      )
      result.validation = try await stage.run(interruption: interruption)
    }
    return result
  }

  // MARK: Packages

  private func upgradePackage(
    _ interruption: CancellationToken
  ) throws -> UpgradeResult {
    let old = try PackageReader(source, identities: keys.identities)
    let damages = try old.damages()
    guard damages.isEmpty else {
      throw PackageError.damaged(path: source, reason: damages[0].cause)
    }
    let declared = try declared(for: old.manifest.profile.app)
    let ways = old.manifest.entities.map { entity in
      entity.schema.flatMap { declared?.way(of: entity.name, from: $0) } ?? []
    }
    guard ways.contains(where: { !$0.isEmpty }) else { return UpgradeResult() }
    let schemas = try schemas(
      zip(old.manifest.entities, ways).map { $1.last?.to ?? $0.schema },
      from: old
    )
    let binding = PackageBinding(
      source: Self.digest(of: old.digest, by: declared, schemas),
      profile: profile?.digest ?? old.manifest.profile.digest,
      tool: toolVersion
    )
    let entities = zip(old.manifest.entities, ways).map { $0.upgraded(by: $1) }
    let writer: PackageWriter
    switch try opening(binding, for: entities) {
    case .alreadyPresent(let package): return UpgradeResult(again: package)
    case .writing(let fresh): writer = fresh
    }
    var result = UpgradeResult()
    for (entity, way) in zip(old.manifest.entities, ways) {
      var pass = UpgradePass(entity: entity.name, way: way, writer: writer, old: old)
      try old.forEachRecord(of: entity.name) { line, _ in
        if interruption.isCancelled { throw MigrationError.interrupted }
        try pass.take(line)
      }
      try pass.takeRejects()
      guard pass.total == entity.records + entity.rejected else {
        throw MigrationError.rowsLost(
          path: source,
          read: Int(entity.records + entity.rejected),
          kept: Int(pass.total)
        )
      }
      result.lines.append(pass.line(from: entity.schema))
    }
    try writer.add(schemas)
    var manifest = old.manifest
    manifest.format = .current
    manifest.tool = PackageManifest.Tool(version: toolVersion)
    manifest.source.digest = binding.source
    manifest.profile = PackageManifest.ProfileMark(
      app: old.manifest.profile.app,
      digest: binding.profile
    )
    manifest.entities = entities
    let earlier = manifest.unknown[Self.historyMember]?.array ?? []
    manifest.unknown[Self.historyMember] = .array(earlier + [Self.origin(old)])
    result.package = try finish(manifest, result, writer)
    return result
  }

  /// What the history says of the package that is upgraded.
  private static func origin(_ old: PackageReader) -> JSONValue {
    .object([
      "from": .string(old.digest.description),
      "source": .string(old.manifest.source.digest.description),
    ])
  }

  // MARK: Writing

  /// What the new package is bound to: all that was read, and all that is declared about it.
  ///
  /// An upgrade goes on only over the same, and finds only what the same rules have made.
  static func digest(
    of read: Records.Digest,
    by declared: AppUpgrades?,
    _ schemas: [PackagedSchema]
  ) -> Records.Digest {
    var hash = SHA256()
    hash.update(data: Array("upgrade\n".utf8))
    hash.update(data: read.bytes)
    if let declared { hash.update(data: declared.canonicalBytes) }
    PackagedSchema.add(schemas, to: &hash)
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }

  /// Begins the new package, goes on with it, or finds what the same upgrade has written.
  ///
  /// - Throws: `MigrationError.packageInTheWay` for any other package.
  func opening(
    _ binding: PackageBinding,
    for entities: [PackageManifest.Entity]
  ) throws -> PackageWriter.Opening {
    let opening = try PackageWriter.open(output, binding: binding, keys: keys)
    if case .alreadyPresent(let package) = opening {
      let found = package.manifest
      let isSame =
        found.binding == binding && found.unknown[Self.historyMember] != nil
        && found.entities.map(\.name) == entities.map(\.name)
        && found.entities.map(\.schema) == entities.map(\.schema)
      guard isSame else { throw MigrationError.packageInTheWay(output) }
    }
    return opening
  }

  /// The member of the manifest that says how the records were upgraded.
  private static let historyMember = "upgrades"

  func finish(
    _ manifest: PackageManifest,
    _ result: UpgradeResult,
    _ writer: PackageWriter
  ) throws -> PackageReader {
    var manifest = manifest
    var upgrades: [JSONValue] = manifest.unknown[Self.historyMember]?.array ?? []
    upgrades += result.lines.compactMap(\.json)
    for note in result.leftOut {
      upgrades.append(["leftOut": .string(note.member), "note": .string(note.note)])
    }
    manifest.unknown[Self.historyMember] = .array(upgrades)
    let complete = manifest
    return try writer.finish(complete)
  }

  /// The schemas of the new package, each once: that of the package that is upgraded, the published
  /// one, or one beside the profile.
  func schemas(
    _ names: [String?],
    from old: PackageReader?
  ) throws -> [PackagedSchema] {
    try PackagedSchema.all(
      names,
      from: old,
      beside: profile?.path ?? upgradesPath ?? output,
      of: profile
    )
  }

  // MARK: What is declared

  /// The upgrades of an app: the file that was named, one beside the profile, or the built-in ones.
  func declared(for app: String) throws -> AppUpgrades? {
    let beside = profile.map { "\(Folder.parentPath(of: $0.path))/\(app).upgrades.json" }
    let path = upgradesPath ?? beside.flatMap { InputFile.isPresent($0) ? $0 : nil }
    guard let path else { return try AppUpgrades.published(for: app) }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try InputFile.contents(of: path, limit: 16 << 20)
    } catch {
      throw UpgradesError(path: path, faults: [error.description])
    }
    return try AppUpgrades(bytes: bytes, path: path)
  }
}

extension PackageManifest.Entity {
  /// The entry after all steps: a key or reference that was renamed keeps its meaning.
  func upgraded(by way: [RecordUpgrade]) -> PackageManifest.Entity {
    var entity = self
    for upgrade in way {
      var names: [String: String] = [:]
      for case .rename(let member, let name) in upgrade.steps { names[member] = name }
      entity.schema = upgrade.to
      entity.key = upgrade.key ?? names[entity.key] ?? entity.key
      entity.references =
        upgrade.references?.map { PackageManifest.Reference($0) }
        ?? entity.references.map { reference in
          var reference = reference
          reference.member = names[reference.member] ?? reference.member
          return reference
        }
    }
    return entity
  }
}

extension PackageManifest.Reference {
  init(_ reference: DeclaredReference) {
    self.init(
      member: reference.member,
      entities: [reference.entity],
      isToMany: reference.isToMany
    )
  }
}

extension UpgradeResult.Line {
  /// What the manifest says about it; nothing where nothing changed.
  fileprivate var json: JSONValue? {
    guard schemas.count > 1 else { return nil }
    return .object([
      "entity": .string(entity.text),
      "schemas": .array(schemas.map { .string($0) }),
      "steps": .array(steps.map { $0.step.json(count: $0.count) }),
    ])
  }
}

extension UpgradeStep {
  /// The step and how many records it changed.
  package func json(count: Int64) -> JSONValue {
    var object: JSONObject = [
      "do": .string(kind), "member": .string(member), "records": .number(JSONNumber(count)),
    ]
    if case .drop(_, let note) = self { object["note"] = .string(note) }
    return .object(object)
  }
}
