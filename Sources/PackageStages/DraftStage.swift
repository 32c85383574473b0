import Files
package import ProfileDrafting
import Profiles
import RecordMapping
package import Records
import Schemas
import StageSupport
import StoreFiles
package import StoreReading

/// Drafts a profile and schemas from a store, into a folder of their own.
package enum DraftStage {
  /// The name of the drafted profile in its folder.
  package static let profileName = "profile.yaml"

  /// What was drafted.
  package struct Outcome: Hashable, Sendable {
    /// The names of the files, the profile first.
    package let files: [String]
    /// The note of the schemas under which texts or names of the store's rows are; `nil` when none
    /// has it.
    package let seenWord: String?
    /// What a person should know of the store before it is exported with the draft.
    package let findings: [Finding]
  }

  /// Writes the draft; the folder must be empty, or not be there, or hold what an earlier run left of
  /// the same draft.
  package static func run(
    store path: String,
    app: String? = nil,
    options: Source.Options,
    to destination: DraftedDestination? = nil,
    into folder: String
  ) throws -> Outcome {
    let names = Folder.exists(folder) ? try Folder.names(in: folder) : []
    guard names.isEmpty || names.contains(profileName) || names.contains(where: AtomicFile.isDraft)
    else { throw MigrationError.folderInTheWay(folder) }
    return try run(
      OpenedSource(path, options: options),
      app: app,
      basis: .rows,
      to: destination,
      into: folder
    )
  }

  /// Writes the draft of a source that was opened, by its model alone or by its rows as well.
  ///
  /// One in a folder that goes with the run is not `isLasting`: the disk need not have it.
  package static func run(
    _ opened: OpenedSource,
    app: String? = nil,
    basis: ProfileDraft.Basis = .model,
    to destination: DraftedDestination? = nil,
    into folder: String,
    isLasting: Bool = true
  ) throws -> Outcome {
    let home = home(of: opened.source)
    let draft = try draft(of: opened, beside: home, app: app, basis: basis, to: destination)
    var documents =
      [(name: profileName, bytes: Array(draft.yaml.utf8))]
      + draft.schemas.map { (name: $0.name, bytes: $0.bytes) }
    if let preset = destination?.preset.file {
      guard !documents.contains(where: { $0.name == preset.name }) else {
        throw MigrationError.badChoice(
          reason: "the preset's file and a file of the draft are both called “\(preset.name)”",
          cure: "give the preset's file another name"
        )
      }
      documents.append(preset)
    }
    // An editor that reads the profile's first line completes its keys, and says what they mean.
    if isLasting, let schema = PublishedSchemas.bytes(named: ProfileSchema.name) {
      documents.append((name: ProfileSchema.name, bytes: schema))
    }
    try Folder.makeLasting(folder)
    guard try isFree(folder, for: documents) else { throw MigrationError.folderInTheWay(folder) }
    if isLasting {
      var files = AtomicFile(in: folder)
      for document in documents { try files.add(document.name, document.bytes) }
      try files.publish()
    } else {
      for document in documents {
        var file = try OutputFile(creating: "\(folder)/\(document.name)", isDigested: false)
        try file.write(document.bytes)
        _ = try file.finishUnsynced()
      }
    }
    return Outcome(
      files: documents.map { $0.name },
      seenWord: draft.listsSeen ? ProfileDraft.seenWord : nil,
      findings: try draft.findings + passingKeys(of: draft.addressed, in: opened.source.store)
        + opened.source.store.findings.filter {
          ContainerInspection.unreadCodes.contains($0.code) || $0.severity != .note
        }
    )
  }

  /// The draft of a source that was opened.
  static func draft(
    of opened: OpenedSource,
    beside home: String? = nil,
    app: String? = nil,
    basis: ProfileDraft.Basis,
    to destination: DraftedDestination? = nil
  ) throws -> ProfileDraft {
    guard !opened.source.store.model.entities.isEmpty else {
      throw StoreError.noEntities(path: opened.source.path)
    }
    do throws(ProfileDraft.Failure) {
      return try ProfileDraft(
        of: opened.source.store,
        beside: home,
        app: app ?? appName(of: opened.source.path),
        from: basis,
        to: destination
      )
    } catch {
      throw error.reason
    }
  }

  /// The folder of an app, in which rows name files; `nil` for a backup, whose files have other names.
  private static func home(of source: Source) -> String? {
    guard source.backup == nil else { return nil }
    return Folder.exists(source.path) ? source.path : Folder.parentPath(of: source.path)
  }

  /// Whether nothing is in the folder but what a killed run left of these documents.
  private static func isFree(
    _ folder: String,
    for documents: [(name: String, bytes: [UInt8])]
  ) throws(FileError) -> Bool {
    for name in try Folder.names(in: folder) {
      if documents.contains(where: { AtomicFile.draftName($0.name) == name }) { continue }
      guard let document = documents.first(where: { $0.name == name }),
        try InputFile(folder + "/" + name, followsLinks: false).contents(limit: 64 << 20)
          == document.bytes
      else { return false }
    }
    return true
  }

  /// A short name made of the store's: lower-case letters, digits and hyphens.
  private static func appName(of path: String) -> String {
    let stem = Folder.lastName(of: path).split(separator: ".").first.map(String.init) ?? ""
    var name = ""
    for byte in stem.lowercased().utf8 {
      let isPlain = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
      if isPlain {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else if !name.isEmpty, !name.hasSuffix("-") {
        name += "-"
      }
    }
    while name.hasSuffix("-") { name.removeLast() }
    return name.first?.isLetter == true ? name : "app" + (name.isEmpty ? "" : "-" + name)
  }
}

extension ProfileDraft.Failure {
  /// What a person is told of it.
  fileprivate var reason: any Error {
    switch self {
    case .store(let error): return error
    case .profile(let error): return error
    case .record(let entity, let fault):
      let finding = Finding(
        code: fault.code,
        severity: .error,
        entity: entity,
        cause: fault.cause,
        cure: fault.cure
      )
      return MigrationError.invalid(findings: [finding], count: 1)
    case .json(let entity, let error):
      let finding = Finding(
        code: "record.not-json",
        severity: .error,
        entity: entity,
        cause: "\(error)",
        cure: "report this together with the store's model"
      )
      return MigrationError.invalid(findings: [finding], count: 1)
    }
  }
}
