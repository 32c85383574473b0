import Crypto
package import DestinationModel
import Files
import JSONText
import LongTexts
import Profiles
import Records
import RequestBodies
package import UploadPlanning

// MARK: - Writing

extension FolderDestination {
  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    guard batch.items.count <= Self.batchLimit else {
      return BatchAnswer(
        whole: .splittable(
          reason: "\(batch.items.count) records, and \(Self.batchLimit) are the limit"
        )
      )
    }
    do throws(FileError) {
      try Folder.makeLasting(path)
      guard let lock = try FolderLock("\(path)/.ferry.lock") else {
        return BatchAnswer(
          whole: .deferred(reason: "another run writes into \(path)"),
          pause: .milliseconds(200)
        )
      }
      return withExtendedLifetime(lock) { carryOut(batch) }
    } catch {
      return .refused(error.description)
    }
  }

  private func carryOut(_ batch: OutgoingBatch) -> BatchAnswer {
    switch batch.verb {
    case .uploadMedia, .removeMedia: return carryOutMedia(batch)
    case .create, .update, .delete: break
    }
    guard let entity = api.entity(batch.entity) else {
      return .refused("the profile has no place for \(batch.entity)")
    }
    let folder = folder(of: batch.entity)
    var files = DraftedFiles(in: folder)
    var outcomes: [Int64: ItemOutcome] = [:]
    do throws(LongTextFault) {
      try files.begin()
      clear(folder, of: FolderName.isRecordDraft)
      var touched: Set<String> = []
      for item in batch.items {
        let id = batch.verb == .create ? item.clientID : item.serverID
        guard let id else {
          outcomes[item.operation] = .rejected(
            code: "identity.unknown",
            reason: "the record's identity at the destination is not known"
          )
          continue
        }
        let name = FolderName.file(of: id)
        guard touched.insert(name).inserted else {
          outcomes[item.operation] = .deferred(reason: "the request has the record twice")
          continue
        }
        let target = Target(id: id, name: name, entity: entity)
        outcomes[item.operation] = try take(item, batch.verb, target, into: &files)
      }
    } catch {
      // Drafts lie there at most, and no record is in its place.
      return .refused(error.description)
    }
    do throws(FileError) { try files.publish() } catch {
      return BatchAnswer(whole: .unknown(reason: error.description))
    }
    return BatchAnswer(outcomes: outcomes)
  }

  /// Where an item goes.
  private struct Target {
    let id: String
    let name: String
    let entity: EntityApi
  }

  /// Gets one item ready, and says what becomes of it once all are in their places.
  private func take(
    _ item: OutgoingBatch.Item,
    _ verb: OutgoingBatch.Verb,
    _ target: Target,
    into files: inout DraftedFiles
  ) throws(LongTextFault) -> ItemOutcome {
    let (id, name) = (target.id, target.name)
    let before: FolderDocument?
    do throws(DestinationError) { before = try document(name, in: files.folder) } catch {
      return .rejected(code: "destination.unreadable", reason: error.description)
    }
    if verb == .create {
      guard before == nil else { return .exists }
    } else {
      guard let before else { return .missing }
      if let version = item.version, version != before.version {
        return .conflicted(reason: "it was changed at the destination: version \(before.version)")
      }
    }
    if verb == .delete {
      files.short.remove(name)
      return .removed
    }
    guard let members = JSONObject(parsing: item.body) else {
      return .rejected(code: "body.form", reason: "the record is not a JSON object")
    }
    var data = before?.data ?? [:]
    if verb == .create {
      // What is left out because it is the destination's own default.
      for rule in target.entity.body { if let usual = rule.unless { data[rule.name] = usual } }
    }
    for member in members.members { data[member.name] = member.value }
    let bytes = FolderDocument.bytes(id: id, data: data)
    guard bytes.count <= FolderDocument.mostHeld else {
      let limit = FolderDocument.mostHeld >> 20
      return .rejected(
        code: "record.large",
        reason:
          "it has \(bytes.count >> 20) MiB without its long texts, and a document may have \(limit)"
      )
    }
    let long = try shelf.texts?.body(of: bytes)
    let digest = if let long { try files.add(name, long) } else { try files.add(name, bytes) }
    return .stored(serverID: id, version: FolderDocument.version(of: digest))
  }

  // MARK: - Files

  /// Copies or removes media files; each lies under its digest and the operation that sent it.
  private func carryOutMedia(_ batch: OutgoingBatch) -> BatchAnswer {
    var outcomes: [Int64: ItemOutcome] = [:]
    for item in batch.items {
      do throws(FileError) {
        outcomes[item.operation] =
          batch.verb == .uploadMedia ? try bring(item) : try removeMedia(item)
      } catch {
        let reason = error.description
        guard error.isForWantOfMeans else {
          return BatchAnswer(whole: .refused(reason: reason), outcomes: outcomes)
        }
        outcomes[item.operation] = .deferred(reason: reason)
      }
    }
    return BatchAnswer(outcomes: outcomes)
  }

  private func bring(_ item: OutgoingBatch.Item) throws(FileError) -> ItemOutcome {
    guard let media = item.media else {
      return .rejected(code: "media.unknown", reason: "the plan names no file of the record")
    }
    let folder = "media/\(media.category)"
    let place = FolderName.media(media.digest.description, of: media.category, by: item.key)
    try Folder.makeLasting("\(path)/\(folder)")
    clear("\(path)/\(folder)", of: FolderName.isMediaDraft)
    let draft = draftPath(of: place)
    try Folder.remove(draft)
    try WholeFile.copy(media.source, to: draft)
    guard try InputFile.sha256(of: draft).digest == media.digest.bytes else {
      try Folder.remove(draft)
      return .changedFile
    }
    try WholeFile.place(draft, at: "\(path)/\(place)")
    return .stored(serverID: place, version: place)
  }

  /// Removes a file, and what a killed run left of it under another name; where no one was informed its
  /// identity, the one that the item's own operation sent.
  private func removeMedia(_ item: OutgoingBatch.Item) throws(FileError) -> ItemOutcome {
    guard
      let place = FolderName.media(
        MediaReference(record: item.record, serverID: item.serverID, operation: item.key)
      )
    else { return .missing }
    let draft = draftPath(of: place)
    let isThere = try InputFile.isKnownPresent("\(path)/\(place)")
    let hasDraft = try InputFile.isKnownPresent(draft)
    guard isThere || hasDraft else { return .missing }
    try Folder.remove(draft)
    try Folder.remove("\(path)/\(place)")
    try Folder.sync(Folder.parentPath(of: "\(path)/\(place)"))
    return isThere ? .removed : .missing
  }

  // MARK: - Drafts

  private func draftPath(of place: String) -> String {
    let folder = Folder.parentPath(of: place)
    return "\(path)/\(folder)/\(AtomicFile.draftName(Folder.lastName(of: place)))"
  }

  /// Removes what killed runs left in a folder, once for each: while the lock is held, no draft is
  /// anybody's.
  ///
  /// One that cannot be removed is no reason to stop: no process reads it.
  private func clear(_ folder: String, of isDraft: (String) -> Bool) {
    guard shelf.isFirstWriting(into: folder) else { return }
    for name in (try? Folder.names(in: folder)) ?? [] where isDraft(name) {
      try? Folder.remove("\(folder)/\(name)")
    }
  }
}

/// The documents of a request beside their places, until all are there.
private struct DraftedFiles {
  var short: AtomicFile
  /// The names of those that have long texts.
  private var long: [String] = []

  init(in folder: String) { short = AtomicFile(in: folder) }

  var folder: String { short.folder }

  func begin() throws(LongTextFault) {
    do throws(FileError) { try Folder.makeLasting(folder) } catch { throw .file(error) }
  }

  /// Writes a document; gives the SHA-256 of it.
  mutating func add(_ name: String, _ bytes: [UInt8]) throws(LongTextFault) -> [UInt8] {
    do throws(FileError) { try short.add(name, bytes) } catch {
      removeLong()
      throw .file(error)
    }
    return Array(SHA256.hash(data: bytes))
  }

  /// Writes a document with long texts, in pieces; gives the SHA-256 of it.
  mutating func add(_ name: String, _ body: LongBody) throws(LongTextFault) -> [UInt8] {
    long.append(name)
    do throws(LongTextFault) {
      return try write(body, to: draft(of: name))
    } catch {
      removeLong()
      throw error
    }
  }

  private func write(_ body: LongBody, to draft: String) throws(LongTextFault) -> [UInt8] {
    let reader = body.reader()
    var fault: LongTextFault?
    func next() -> [UInt8]? {
      do throws(LongTextFault) { return try reader.next() } catch {
        fault = error
        return nil
      }
    }
    let digest: [UInt8]
    do throws(FileError) {
      if InputFile.isPresent(draft) { try Folder.remove(draft) }
      var file = try OutputFile(creating: draft)
      while let piece = next() { try file.write(piece) }
      digest = try file.finish()
    } catch {
      throw .file(error)
    }
    if let fault { throw fault }
    return digest
  }

  /// Puts every document in its place.
  func publish() throws(FileError) {
    try short.publish()
    for name in long { try WholeFile.place(draft(of: name), at: "\(folder)/\(name)") }
  }

  private func draft(of name: String) -> String { "\(folder)/\(AtomicFile.draftName(name))" }

  private func removeLong() { for name in long { try? Folder.remove(draft(of: name)) } }
}

/// The lock of a folder, held for as long as the value lives.
private final class FolderLock {
  private let file: LockFile

  init?(_ path: String) throws(FileError) {
    guard let file = try LockFile(taking: path) else { return nil }
    self.file = file
  }
}
