import Files
import Records
import StoreFiles

/// The stores of a container, copied and opened.
struct ContainerSource {
  private(set) var copies: [StoreCopy] = []
  private(set) var stage: BackupStage
  private(set) var store: any Store
  /// The app's files, where the folder is a backup.
  let backup: BackupFiles?

  /// One store to open, and what it is called.
  private struct Choice {
    let name: String
    let found: FoundStore
    /// Whether a user asked for this store by name, so that it must open.
    let isWanted: Bool
  }

  init(_ path: String, options: Source.Options, into folder: String) throws(StoreError) {
    let finder = try SourceFinder(
      path,
      app: options.app,
      ignoring: options.ignored,
      into: folder + "/contents"
    )
    let inspection = finder.inspection
    if inspection.form == .backup, options.app == nil, inspection.apps.count > 1 {
      throw .severalApps(path: path, apps: inspection.apps)
    }
    var stage = BackupStage(in: folder + "/backup")
    var copies: [StoreCopy] = []
    var parts: [GatheredStore.Part] = []
    var findings: [Finding] = []
    let choices = try Self.choices(inspection, options, &findings)
    // What could not be looked into may be one of those that are wanted.
    if options.stores.isEmpty || choices.count < options.stores.count,
      let failure = inspection.failure
    {
      throw .file(failure)
    }
    for (index, choice) in choices.enumerated() {
      do throws(StoreError) {
        let place =
          inspection.form == .backup
          ? try stage.add(choice.found, from: finder.files) : path + "/" + choice.found.path
        let copy = try StoreCopy(of: place, into: "\(folder)/store-\(index + 1)")
        let store = try Source.open(copy, options: options)
        copies.append(copy)
        parts.append(
          GatheredStore.Part(name: choice.name, path: choice.found.path, store: store)
        )
      } catch {
        guard !choice.isWanted, error.isOfTheStore else { throw error }
        findings.append(Self.unread(choice.found.path, error))
      }
    }
    let areNamed = !options.stores.isEmpty
    guard !parts.isEmpty else {
      throw .noStore(path: path, findings: findings + inspection.unreadFindings(areNamed: areNamed))
    }
    self.copies = copies
    self.stage = stage
    backup = inspection.form == .backup ? BackupFiles(path, finder.files) : nil
    store = GatheredStore(
      parts,
      findings: findings + inspection.unreadFindings(areNamed: areNamed)
        + inspection.skippedFindings
    )
  }

  // MARK: - Choosing

  private static func choices(
    _ inspection: ContainerInspection,
    _ options: Source.Options,
    _ findings: inout [Finding]
  ) throws(StoreError) -> [Choice] {
    guard !options.stores.isEmpty else {
      let names = PartNames(inspection.readable.map(\.path))
      return zip(names.names, inspection.readable).map { name, found in
        Choice(name: name, found: found, isWanted: false)
      }
    }
    var choices: [Choice] = []
    for wanted in options.stores {
      let matches = inspection.stores.filter { wanted.matches($0.path) }
      // A pattern means what is read; a whole path means that file, whatever lies around it.
      let readable = matches.filter { $0.refusal == nil }
      let found = readable.isEmpty ? matches : readable
      guard found.count <= 1 else {
        throw .severalFiles(
          path: inspection.path,
          store: wanted.name,
          pattern: wanted.pattern,
          files: found.map(\.path)
        )
      }
      if let found = found.first {
        choices.append(Choice(name: wanted.name, found: found, isWanted: true))
      } else {
        findings.append(missing(wanted))
      }
    }
    return choices
  }

  // MARK: - Findings

  private static func missing(_ wanted: StoreChoice) -> Finding {
    Finding(
      code: "container.store-missing",
      severity: .warning,
      cause: "no file of the container is “\(wanted.pattern)”, the store “\(wanted.name)”",
      cure: "compare the path with “ferry inspect”; a store the app never wrote is not there"
    )
  }

  private static func unread(_ path: String, _ error: StoreError) -> Finding {
    Finding(
      code: "container.store-unread",
      severity: .warning,
      file: path,
      cause: "\(path) is not read: \(error)",
      cure: error.cure
    )
  }
}
