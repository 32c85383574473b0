import Checkpoint
import DestinationModel
import Files
import Profiles
import Records
import StageSupport
import Synchronization
import UploadPlanning

// Files that are gone from where runs brought them, alone or with their records. Where a person asks that what was
// deleted at the destination be made again, so are they.

/// What a plan knows of files that runs sent and that may have to be sent again.
final class LostFiles: Sendable {
  private struct Contents {
    var folder: PrivateFolder?
    var absent: ScratchKeys?
    var named: [EntityName: Set<Int>] = [:]
  }

  private let contents = Mutex(Contents())

  /// Those that the destination says are gone; `nil` where there are none.
  var absent: ScratchKeys? { contents.withLock { $0.absent } }

  func setAbsent(_ keys: ScratchKeys, in folder: PrivateFolder) {
    contents.withLock { contents in
      contents.folder = folder
      contents.absent = keys
    }
  }

  /// Of the files of a category that runs sent, those that records at the destination name, by the hashes of
  /// their keys and addresses; `nil` where that was not asked.
  func named(of category: EntityName) -> Set<Int>? { contents.withLock { $0.named[category] } }

  func setNamed(_ named: Set<Int>, of category: EntityName) {
    contents.withLock { $0.named[category] = named }
  }
}

extension UploadPlanner {
  /// Whether files are sent by themselves, and a person asks that what is gone be made again.
  private var remakesFiles: Bool {
    let traits = desk.destination.traits
    return recreatesDeleted && !options.isOffline && traits.takesMedia
      && !traits.keepsFilesInRecords
  }

  /// Whether a file has to be sent although a run sent it: it is gone, or it went with a record that is made
  /// again, and no record there names it.
  func isLost(
    _ file: RecordID,
    _ known: KnownRecord,
    in pass: EntityPass
  ) throws(MigrationError) -> Bool {
    if let absent = lostFiles.absent {
      let isAbsent = try checkpointing { () throws(CheckpointError) in
        try absent.contains(file.key, of: file.entity)
      }
      if isAbsent { return true }
    }
    guard pass.isRemaking, let named = lostFiles.named(of: file.entity) else { return false }
    return Self.names(of: known.serverID, known.version).isDisjoint(with: named)
  }

  /// The hashes by which a file of this key and address is told.
  private static func names(of key: String?, _ address: String?) -> Set<Int> {
    Set([key, address].compactMap { $0 }.map(RemainingLinks.hash(of:)))
  }

  // MARK: - Files that are gone

  /// Asks for the files that runs sent, where a person has all of the destination read.
  func findAbsentFiles(_ interruption: Interruption) async throws(MigrationError) {
    guard remakesFiles, options.refreshes else { return }
    for category in profile.mediaCategories.map({ EntityName.media($0) }) {
      try await desk.forEachSentFile(of: category, interruption) { files throws(MigrationError) in
        var absent: [String] = []
        for (file, state) in files {
          switch state {
          case .success(.absent): absent.append(file.record.key)
          case .success(.present), .success(.other): break
          case .success(.unknowable): return false
          // Who may not ask whether a file is there is not told that it is gone either.
          case .failure(.destination(.forbidden)): break
          case .failure(let error): throw error
          }
        }
        try noteAbsent(absent, of: category)
        return true
      }
    }
  }

  private func noteAbsent(
    _ files: [String],
    of category: EntityName
  ) throws(MigrationError) {
    guard !files.isEmpty else { return }
    let keys: ScratchKeys
    if let absent = lostFiles.absent {
      keys = absent
    } else {
      let folder = try filing { () throws(FileError) in try PrivateFolder() }
      keys = try checkpointing { () throws(CheckpointError) in
        try ScratchKeys(path: folder.path + "/keys.sqlite")
      }
      lostFiles.setAbsent(keys, in: folder)
    }
    _ = try checkpointing { () throws(CheckpointError) in try keys.add(files, of: category) }
  }

  // MARK: - Files of records that are made again

  /// Reads which files records still name, where records of an entity are gone that had files which the
  /// destination cannot tell about: what nobody names went with its record, as far as anybody knows.
  func findNamedFiles(
    for pass: EntityPass,
    _ readings: DestinationReadings
  ) async throws(MigrationError) {
    guard remakesFiles, let media = profile.api?.media, case .tickets = media.way,
      let entity = profile.entity(pass.entity), !entity.media.isEmpty, try isAnyGone(pass)
    else { return }
    // Some destinations are asked one thing at a time.
    await readings.wait()
    for rule in entity.media {
      let category = EntityName.media(rule.category)
      guard lostFiles.named(of: category) == nil else { continue }
      lostFiles.setNamed(try await named(category), of: category)
    }
  }

  /// Whether any record of an entity is gone from where a run put it.
  private func isAnyGone(_ pass: EntityPass) throws(MigrationError) -> Bool {
    guard pass.isWhole || pass.hasGone else { return false }
    var place = ""
    while true {
      let after = place
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.records(of: pass.entity, after: after, limit: 1_000)
      }
      guard let last = page.last else { return false }
      place = last.record.key
      let serverIDs = page.compactMap(\.serverID)
      let isAny = try checkpointing { () throws(CheckpointError) -> Bool in
        let there = try snapshot.records(serverIDs, of: pass.entity)
        for serverID in serverIDs where there[serverID] == nil {
          if pass.isWhole { return true }
          if try snapshot.isGone(serverID, of: pass.entity) { return true }
        }
        return false
      }
      if isAny { return true }
    }
  }

  /// Those of the files of a category that records at the destination have.
  private func named(_ category: EntityName) async throws(MigrationError) -> Set<Int> {
    let wanted = try sentFiles(of: category)
    var named: Set<Int> = []
    for (child, member) in desk.wires.links(to: category) {
      try await desk.forEachPage(of: child) { page in
        for record in page.records {
          for address in desk.wires[child].identities(in: member, ofRemote: record.body) {
            named.formUnion(wanted.intersection(RemainingLinks.ways(toFileAt: address)))
          }
        }
      }
    }
    return named
  }

  /// The hashes of the keys and addresses of the files that runs sent.
  private func sentFiles(of category: EntityName) throws(MigrationError) -> Set<Int> {
    var sent: Set<Int> = []
    var place = ""
    while true {
      let after = place
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.records(of: category, after: after, limit: 1_000)
      }
      guard let last = page.last else { return sent }
      place = last.record.key
      for file in page where file.serverID != nil {
        sent.formUnion(Self.names(of: file.serverID, file.version))
      }
    }
  }
}
