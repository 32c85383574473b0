import Checkpoint
import DestinationModel
import JSONText
import Profiles
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning

// The addresses of files that records have at a destination, and which files are sent for records.
//
// A file whose presence the destination cannot know is sent once per digest and account. Where a
// record that no run sent has an address at that destination, another client may have given it that
// one: the address is the destination's half of what both sides agree on, and stays until the store
// has another file or its own is to win.

extension UploadPlanner {
  /// The members that are to have the addresses of files that no run has sent.
  func unsent(_ record: LocalRecord) throws -> [String] {
    var unsent: [String] = []
    for link in record.read.fileLinks where try address(of: link.file, of: record) == nil {
      unsent.append(link.name)
    }
    return unsent
  }

  private func address(
    of file: RecordMedia,
    of record: LocalRecord
  ) throws -> String? {
    try checkpoint.known(
      RecordID(entity: .media(file.rule.category), key: file.key(of: record.id))
    )?
    .version
  }

  /// The members in which a record that no run knows has addresses of files at the destination,
  /// which cannot say what lies there: they stay, unless the store's own is to win and can be sent there.
  func untellable(
    _ record: LocalRecord,
    _ remote: RemoteCopy,
    _ policy: ConflictPolicy
  ) -> Set<String> {
    guard !reader.traits.keepsAddresses, record.known?.serverID == nil,
      case .present(let there, _) = remote
    else { return [] }
    let links = record.read.fileLinks.filter { link in
      (policy != .local || link.isFixed) && there[link.name]?.json?.text != nil
    }
    return Set(links.map(\.name))
  }

  /// Leaves a record the addresses that it was found with.
  func leaveAddresses(
    of record: LocalRecord,
    _ settled: inout SettledDecision,
    _ question: Question,
    _ policy: ConflictPolicy,
    in pass: inout EntityPass
  ) throws {
    switch settled.decision {
    case .adopt, .update: break
    case .create, .unchanged, .conflict, .keptRemote, .remoteNewer, .delete, .skip: return
    }
    guard !record.read.fileLinks.isEmpty else { return }
    if record.known?.serverID != nil {
      return try goOnLeavingAddresses(of: record, &settled, policy)
    }
    guard case .present(let there, _) = question.triple.remote else { return }
    for name in question.leftNames {
      settled.sent[name] = there[name]?.json
      pass.leftAddresses += 1
    }
  }

  /// Leaves the addresses that were left before, where the record still has the same files and something else
  /// of it changed.
  private func goOnLeavingAddresses(
    of record: LocalRecord,
    _ settled: inout SettledDecision,
    _ policy: ConflictPolicy
  ) throws {
    guard let image = try base(of: record.id, record.known), let sent = image.sent else { return }
    let mapping = reader.mappings[record.id.entity]
    let (left, began) = (mapping.object(sent), mapping.object(image.base))
    let plain = mapping.program.image(of: record.plain.whole)
    for link in record.read.fileLinks
    where settled.sent[link.name] == nil && began?[link.name] == plain[link.name] {
      // Where the store's own is to win, its file goes after all.
      if policy == .local, !link.isFixed { continue }
      if let address = left?[link.name], address.text != nil { settled.sent[link.name] = address }
    }
  }

  /// The files of a record that are sent: all but those in place of which an address is left that is at
  /// the destination.
  func filesToSend(
    of record: LocalRecord,
    _ settled: SettledDecision
  ) throws -> [RecordMedia] {
    guard settled.decision.bringsFiles, !record.claim.isDeleted else { return [] }
    let files = record.read.media
    guard !files.isEmpty else { return files }
    let left =
      settled.decision == .unchanged
      ? try leftAddresses(record.id, record.known)
      : settled.sent
    return Self.files(files, record.read.fileLinks, without: left)
  }

  /// The same for one that is as it was agreed on, as far as any of its files was not sent.
  func filesToSend(of record: UntouchedRecords.Finding) throws -> [RecordMedia] {
    var isAnyUnsent = false
    for file in record.media where !isAnyUnsent {
      let id = RecordID(entity: .media(file.rule.category), key: file.key(of: record.id))
      isAnyUnsent = try checkpoint.known(id)?.serverID == nil
    }
    guard isAnyUnsent else { return [] }
    let left = try leftAddresses(record.id, try checkpoint.known(record.id))
    return Self.files(record.media, record.fileLinks, without: left)
  }

  /// What was left to the destination of a record that is known.
  func leftAddresses(
    _ record: RecordID,
    _ known: SyncState?
  ) throws -> JSONObject {
    guard reader.mappings[record.entity].program.namesFiles,
      let sent = try base(of: record, known)?.sent
    else { return JSONObject() }
    return reader.mappings[record.entity].object(sent) ?? JSONObject()
  }

  private static func files(
    _ files: [RecordMedia],
    _ links: [LinkedFile],
    without left: JSONObject
  ) -> [RecordMedia] {
    let kept = links.filter { left[$0.name]?.text != nil }.map(\.file)
    guard !kept.isEmpty else { return files }
    let needed = links.filter { left[$0.name]?.text == nil }.map(\.file)
    return files.filter { !kept.contains($0) || needed.contains($0) }
  }
}

extension PlanDecision {
  /// Whether the files of a record go along: what stays as it is at the destination names none of them.
  fileprivate var bringsFiles: Bool {
    switch self {
    case .create, .adopt, .update, .unchanged: true
    case .conflict, .keptRemote, .remoteNewer, .delete, .skip: false
    }
  }
}
