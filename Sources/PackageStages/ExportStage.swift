import AgeEncryption
package import ExportPackage
import Files
package import HTTPTransport
import JSONText
package import Profiles
import RecordMapping
package import Records
package import StageSupport
package import StoreFiles
package import StoreReading

/// What an export came to.
package struct ExportResult: Sendable {
  package let package: PackageReader
  /// The source's files, as they were read.
  package let sourceFiles: [SourceFile]
  /// Oddities of the store and what of it stayed behind, counted in the manifest as well; and what
  /// was not fetched.
  package internal(set) var findings: [Finding]
  /// Whether the same package existed already.
  package let alreadyExisted: Bool
  /// What was fetched from addresses that rows name; `nil` where was not asked for that.
  package internal(set) var fetch: FetchReport?

  /// Whether something is in the source that could not be read, and is not in the package.
  package var hasUnreadRows: Bool { findings.contains { Self.unread.contains($0.code) } }

  fileprivate static let unread: Set<String> = [
    "store.rows-without-entity", "store.rows-of-abstract", "store.damaged-rows",
    "store.damaged-table", "store.table-unparsed", "container.store-unread", "value.missing-file",
    Self.unreadDatabase,
  ]

  /// No entity lacks rows for a database that nothing here reads.
  static let unreadDatabase = "container.database-unread"

  package var rejectedCount: Int {
    package.manifest.entities.reduce(0) { $0 + Int($1.rejected) }
  }
}

/// Where a package is to be.
package enum PackagePlace: Hashable, Sendable {
  /// At this path.
  case path(String)
  /// In this folder, under a name made of what the package depends on.
  case folder(String)

  /// The package's path, behind so many packages of the same name that are of no use any more;
  /// `nil` where there is one place only, and that is taken.
  func path(
    app: String,
    binding: PackageBinding,
    keys: PackageKeys,
    after earlier: Int
  ) throws -> String? {
    switch self {
    case .path(let path): return earlier == 0 ? path : nil
    case .folder(let folder):
      try Folder.makeLasting(folder)
      // One that is encrypted to others, or not at all, is another package.
      let name = StateFolder.shortName(
        of: [binding.source.description, binding.profile.description, binding.tool]
          + keys.recipients.map(\.description).sorted()
      )
      return "\(folder)/\(app)-\(name)\(earlier == 0 ? "" : "-\(earlier + 1)").ferry"
    }
  }
}

/// Reads a store through a private copy and writes a package.
package struct ExportStage: Sendable {
  let profile: Profile
  let store: String
  /// The path that a package of a store without an identity of its own carries; the whole path unless given.
  let place: String
  let container: String?
  let fetch: FetchLimits?
  let output: PackagePlace
  let toolVersion: String
  let allowsEmptySource: Bool
  let options: Source.Options
  let keys: PackageKeys
  let progress: ProgressReporter

  package init(
    profile: Profile,
    store: String,
    place: String? = nil,
    container: String?,
    fetch: FetchLimits? = nil,
    output: PackagePlace,
    toolVersion: String,
    allowsEmptySource: Bool = false,
    options: Source.Options = Source.Options(),
    keys: PackageKeys = .none,
    progress: ProgressReporter
  ) {
    self.profile = profile
    self.store = store
    self.place = place ?? Folder.wholePath(of: store)
    self.container = container
    self.fetch = fetch
    self.output = output
    self.toolVersion = toolVersion
    self.allowsEmptySource = allowsEmptySource
    self.options = options
    self.keys = keys
    self.progress = progress
  }

  /// Writes the package, or goes on with one that was begun from the same source, profile and
  /// schemas.
  ///
  /// A source that is open already is read as it is; else it is opened here. What rows name by
  /// address is fetched before, where that is asked for.
  package func run(
    interruption: CancellationToken,
    opened: OpenedSource? = nil
  ) async throws -> ExportResult {
    progress.report(.stageBegan(fetch == nil ? .export : .fetch))
    let opened = if let opened { opened } else { try open() }
    let source = opened.source
    let export = try CompiledExport(profile: profile, model: source.store.model)
    let schemas = try PackagedSchema.all(
      export.programs.map { $0.profile.schema },
      beside: profile.path,
      of: profile
    )
    try schemas.check()
    let binding = PackageBinding(
      source: try digest(of: source),
      profile: PackagedSchema.digest(of: profile.digest, with: schemas),
      tool: toolVersion
    )
    var fetched: (media: FetchedMedia, report: FetchReport)?
    if let fetch {
      fetched = try await fetchMedia(
        within: fetch,
        of: source.store,
        export,
        binding,
        interruption
      )
      progress.report(.stageEnded(.fetch))
      progress.report(.stageBegan(.export))
    }
    var result = try write(
      source,
      binding: binding,
      export: export,
      schemas: schemas,
      fetched: fetched?.media,
      interruption: interruption
    )
    if let report = fetched?.report {
      result.fetch = report
      result.findings += report.findings
    }
    progress.report(.stageEnded(.export))
    withExtendedLifetime(opened) {}
    return result
  }

  /// Copies and opens the store.
  package func open() throws -> OpenedSource {
    let stores = profile.stores.map { StoreChoice(name: $0.name, pattern: $0.pattern) }
    return try OpenedSource(store, options: options.choosing(stores))
  }

  private func write(
    _ source: Source,
    binding: PackageBinding,
    export: CompiledExport,
    schemas: [PackagedSchema],
    fetched: FetchedMedia?,
    interruption: CancellationToken
  ) throws -> ExportResult {
    let (package, alreadyExisted) = try package(
      of: source,
      binding: binding,
      export: export,
      schemas: schemas,
      fetched: fetched,
      interruption: interruption
    )
    // The package has it all now.
    try fetched?.remove()
    let unread = try Self.rowsOfAbstract(in: source.store, export)
    let addressed = export.programs.filter { $0.profile.identity == .objectURI }
    let linked = try passedContainer(of: source, package.manifest)
    let passing = try passingKeys(of: addressed.map(\.request.entity), in: source.store)
    return ExportResult(
      package: package,
      sourceFiles: source.files,
      findings: source.store.findings + unread + passing + linked + export.secretFindings
        + Self.losses(package.manifest),
      alreadyExisted: alreadyExisted
    )
  }

  /// The package of this source, profile, schemas and program, with the app's files as they are
  /// now.
  private func package(
    of source: Source,
    binding: PackageBinding,
    export: CompiledExport,
    schemas: [PackagedSchema],
    fetched: FetchedMedia?,
    interruption: CancellationToken
  ) throws -> (package: PackageReader, alreadyExisted: Bool) {
    var finder = try MediaFinder(of: source, container: container, profile: profile)
    finder.fetched = fetched
    let media = PackagedMedia(profile: profile, finder: finder)
    var earlier = 0
    var taken = ""
    var changed = ""
    while let path = try output.path(
      app: profile.app,
      binding: binding,
      keys: keys,
      after: earlier
    ) {
      let opening = try PackageWriter.open(path, binding: binding, keys: keys)
      let package: PackageReader
      switch opening {
      case .writing(let writer):
        if writer.isResumed, try media.isInDoubt(in: writer) {
          try writer.startOver()
        }
        package = try write(
          source,
          binding: binding,
          export: export,
          schemas: schemas,
          media: finder,
          to: writer,
          interruption: interruption
        )
        return (package, false)
      case .alreadyPresent(let found): package = found
      }
      guard package.manifest.binding == binding else { throw MigrationError.packageInTheWay(path) }
      guard let name = try media.change(in: package) else {
        try expectUnchanged(source, binding)
        return (package, true)
      }
      (taken, changed) = (path, name)
      earlier += 1
    }
    // Another place begins anew, and what was fetched for this one would lie here for ever.
    try fetched?.remove()
    throw MigrationError.packageOutdated(
      taken,
      reason: MediaFinder.isAddress(changed)
        ? "lacks media that was fetched now" : "the app's file “\(changed)” is not what it was"
    )
  }

  /// Rows of entities that the model calls abstract, and that no one described for that reason.
  private static func rowsOfAbstract(
    in store: any Store,
    _ export: CompiledExport
  ) throws -> [Finding] {
    var findings: [Finding] = []
    for entity in export.undescribedAbstract {
      let count = try store.rowCount(of: entity)
      guard count > 0 else { continue }
      findings.append(
        Finding(
          code: "store.rows-of-abstract",
          severity: .error,
          entity: entity,
          cause: "the model calls the entity abstract, and the profile does not describe it, "
            + "but \(count) rows of the store are of it",
          cure: "they are not read; describe the entity, or list it under “omit-entities”"
        )
      )
    }
    return findings
  }

  /// What was unusual about values, field by field.
  private static func losses(_ manifest: PackageManifest) -> [Finding] {
    manifest.entities.flatMap { entity in
      entity.tallies.sorted { $0.key < $1.key }.compactMap { tally, count in
        RecordLoss(tally: tally)?.finding(entity: entity.name, count: count)
          ?? withoutFile(tally, of: entity.name, count: count)
      }
    }
  }

  /// Names of files that lead to none.
  private static func withoutFile(
    _ tally: String,
    of entity: EntityName,
    count: Int64
  ) -> Finding? {
    let parts = tally.split(separator: ".")
    guard parts.count > 2, parts.first == "media" else { return nil }
    let lead = "\(Int(count).counted("name")) \(count == 1 ? "leads" : "lead")"
    let (code, cause): (String, String)
    switch MediaValue.State(rawValue: String(parts[parts.count - 1])) {
    case .refused:
      code = "media.refused"
      cause =
        "\(lead) out of the app's container, or to a link, to no plain file, or to "
        + "one of a size that none has; the records keep the names"
    case .missing:
      code = "media.missing"
      cause = "\(lead) to no file of the app's container; the records keep the names"
    case .present, .remote, .evicted, nil: return nil
    }
    return Finding(
      code: code,
      severity: .warning,
      entity: entity,
      pointer: "/" + parts.dropFirst().dropLast().joined(separator: "."),
      cause: cause,
      cure: "put the file itself where the name leads, in a copy of the container"
    )
  }

  private func write(
    _ source: Source,
    binding: PackageBinding,
    export: CompiledExport,
    schemas: [PackagedSchema],
    media: MediaFinder,
    to writer: PackageWriter,
    interruption: CancellationToken
  ) throws -> PackageReader {
    let opened = source.store
    let total = try count(opened, export)
    guard total > 0 || allowsEmptySource else { throw MigrationError.emptySource(path: store) }
    var done = 0
    for program in export.programs {
      var pass = EntityExport(program: program, store: opened, writer: writer, media: media)
      try pass.run { count in
        if interruption.isCancelled { throw MigrationError.interrupted }
        progress.report(.advanced(.export, done: done + count, total: total))
      }
      done += pass.count
    }
    try writer.add(schemas)
    let manifest = manifest(opened, binding: binding, export: export)
    // Nothing is in its place that this run cannot answer for.
    let kept = try writer.countKept()
    guard kept == total else { throw MigrationError.rowsLost(path: store, read: total, kept: kept) }
    try expectUnchanged(source, binding)
    return try writer.finish(manifest)
  }

  private func digest(of source: Source) throws -> Digest {
    try SourceDigest.digest(of: source, at: path(of: source.store.identity))
  }

  /// What a package carries to know the store again; `nil` for one that is known by its identity.
  private func path(of identity: StoreIdentity) -> String? { identity.isUnique ? nil : place }

  private func expectUnchanged(
    _ source: Source,
    _ binding: PackageBinding
  ) throws {
    var differences = try source.differences()
    if differences.isEmpty, try digest(of: source) != binding.source {
      differences.append("files beside it, which hold large values, came or went")
    }
    guard differences.isEmpty else {
      throw MigrationError.sourceChanged(path: store, differences: differences)
    }
  }

  private func count(_ opened: any Store, _ export: CompiledExport) throws -> Int {
    var total = 0
    for program in export.programs {
      total += try opened.rowCount(of: program.request.entity)
    }
    return total
  }

  private func manifest(
    _ opened: any Store,
    binding: PackageBinding,
    export: CompiledExport
  ) -> PackageManifest {
    let unread = opened.findings.count {
      ExportResult.unread.contains($0.code) && $0.code != ExportResult.unreadDatabase
    }
    return PackageManifest(
      tool: PackageManifest.Tool(version: toolVersion),
      source: PackageManifest.Source(
        kind: opened.identity.kind.packageName,
        store: opened.identity.uuid,
        path: path(of: opened.identity),
        digest: binding.source,
        modelOrigin: opened.model.origin.rawValue,
        modelVersions: opened.model.versionIdentifiers
      ),
      profile: PackageManifest.ProfileMark(app: profile.app, digest: binding.profile),
      entities: export.programs.map { program in
        PackageManifest.Entity(
          name: program.entity,
          schema: program.profile.schema,
          role: program.profile.role.rawValue,
          key: program.keyMember,
          references: program.references.map {
            PackageManifest.Reference(
              member: $0.member,
              entities: $0.targets,
              isToMany: $0.isToMany,
              inverse: export.inverse(of: $0, in: program, of: opened.model),
              mayDangle: program.profile.dangling == .keep
            )
          },
          omitted: program.omitted,
          tallies: unread > 0 ? [PackageManifest.Entity.unreadTally: Int64(unread)] : [:]
        )
      }
    )
  }
}

/// The rows of one entity, on their way into a package.
private struct EntityExport {
  let program: RecordProgram
  let store: any Store
  let writer: PackageWriter
  let media: MediaFinder
  private(set) var count = 0

  init(program: RecordProgram, store: any Store, writer: PackageWriter, media: MediaFinder) {
    self.program = program
    self.store = store
    self.writer = writer
    self.media = media
  }

  private static let reportInterval = 1_000

  mutating func run(
    _ report: (Int) throws -> Void
  ) throws {
    let (entity, media, writer) = (program.entity, media, writer)
    let request = RowRequest(
      entity: program.request.entity,
      fields: program.request.fields,
      after: writer.lastPlace(of: entity)
    )
    var mediaFailure: PackageError?
    let records = RecordWriter(program) { rule, name throws(RecordFault) in
      guard String(validating: name, as: UTF8.self) != nil else {
        throw RecordFault(
          code: "value.not-utf8",
          member: rule.member,
          cause: "the name of a media file is not UTF-8, so that it names no file",
          cure: "correct the name in a copy of the store; all other rows are exported"
        )
      }
      do throws(PackageError) {
        let value = try media.value(of: rule, name: name, entity: entity, into: writer)
        try writer.count("media.\(rule.member).\(value.state.rawValue)", of: entity)
        return value
      } catch {
        mediaFailure = error
        throw RecordFault(
          code: "media.unreadable",
          member: rule.member,
          cause: error.description,
          cure: "check that the file can be read, and run again"
        )
      }
    } content: { rule, value throws(RecordFault) in
      let digest: Digest?
      do throws(PackageError) {
        digest = try writer.addMedia(value, of: entity)
        try writer.count("media.\(rule.member).\(MediaValue.State.present.rawValue)", of: entity)
      } catch {
        mediaFailure = error
        throw RecordFault.unreadable
      }
      guard let digest else { throw RecordFault.unreadable }
      let size = Int64(value.count)
      return MediaValue(state: .present, name: digest.description, sha256: digest, size: size)
    }
    let cursor = try store.rows(request)
    var lines = PendingLines(of: entity, to: writer)
    while try cursor.next() {
      let row = cursor.row
      let start = lines.text.count
      do throws(RecordFault) {
        try records.write(row, into: &lines.text)
        let size = lines.text.count - start + records.largeSize
        if size > LineReader.longestLine {
          throw RecordFault.tooLarge(size: size, limit: LineReader.longestLine)
        }
      } catch {
        if let mediaFailure { throw mediaFailure }
        if error.code == RecordFault.unreadableCode { throw row.unreadable(in: writer.path) }
        lines.text.cut(to: start)
        try lines.flush()
        try refuse(error, place: row.place)
        continue
      }
      if !records.losses.isEmpty {
        for loss in records.losses { try writer.count(loss.tally, of: entity) }
      }
      let isFull = lines.end(at: row.place)
      if records.hasLargeTexts {
        try lines.flush(records, of: row)
      } else if isFull {
        try lines.flush()
      }
      count += 1
      if count.isMultiple(of: Self.reportInterval) { try report(count) }
    }
    try lines.flush()
    try report(count)
  }

  /// Keeps a row that could not become a record, with the reason.
  private mutating func refuse(
    _ fault: RecordFault,
    place: Int64
  ) throws {
    var object: JSONObject = [
      "entity": .string(program.entity.text), "place": .number(JSONNumber(place)),
      "code": .string(fault.code), "cause": .string(fault.cause), "cure": .string(fault.cure),
    ]
    if let member = fault.member { object["member"] = .string(member) }
    let line = JSONValue.object(object).canonicalBytes
    try writer.reject(line, of: program.entity, place: place)
    count += 1
  }
}
