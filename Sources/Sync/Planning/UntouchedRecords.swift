import Checkpoint
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

/// Says which records of a package are, here and as far as was read at the destination, what was last
/// agreed on: then nothing of them has to be planned.
///
/// Some records that lie together are looked at in one go, and several such parts side by side, before
/// each record gets its turn. Nothing is changed, so that it does not matter which comes first.
struct UntouchedRecords: Sendable {
  let checkpoint: CheckpointFile
  let snapshot: DestinationSnapshot
  let mapping: EntityMapping
  let entity: EntityName
  let rule: SkipRule
  let quarantined: QuarantinedRecords?
  /// The keys of the records that are decided about one by one: of those on which both sides do not agree since a
  /// change was not carried out, and of those with values that the destination altered, where these are asked for.
  let inDoubt: Set<String>
  /// Of what was read at the destination; see ``EntityPass``.
  let isWhole: Bool
  let isEmpty: Bool
  let hasGone: Bool
  /// Whether a version alone does not identify a record from another in its place, and its members may.
  let detectsReplacement: Bool

  /// What there is still to do about an untouched record.
  struct Finding: Sendable {
    let id: RecordID
    let unmapped: [String]
    let shortened: [String]
    let media: [RecordMedia]
    let fileLinks: [LinkedFile]
  }

  /// A part, and of each of its records that is untouched what there is still to do.
  struct Answer: Sendable {
    let part: PackagedLines.Part
    let findings: Result<[Finding?], any Error>

    /// Leaves all records of a part to the plan.
    static func nothing(of part: PackagedLines.Part) -> Answer {
      Answer(part: part, findings: .success(Array(repeating: nil, count: part.lines.count)))
    }
  }

  /// A record whose content is what was agreed on.
  private struct Candidate {
    let place: Int
    let id: RecordID
    let read: MappedRecord
    let serverID: String
    let version: String?
  }

  func look(at part: PackagedLines.Part) -> Answer {
    do {
      return Answer(part: part, findings: .success(try findings(in: part)))
    } catch {
      return Answer(part: part, findings: .failure(error))
    }
  }

  private func findings(in part: PackagedLines.Part) throws -> [Finding?] {
    let candidates = try candidates(in: part)
    let remotes =
      isEmpty ? RemoteRecords() : try snapshot.records(candidates.map(\.serverID), of: entity)
    let named = isEmpty ? [] : candidates.flatMap(\.read.named)
    let resolver = ReferenceResolver(
      checkpoint: checkpoint,
      answers: try checkpoint.answers(about: named)
    )
    var findings = [Finding?](repeating: nil, count: part.lines.count)
    for candidate in candidates
    where try isUntouched(candidate, remotes[candidate.serverID], resolver) {
      findings[candidate.place] = Finding(
        id: candidate.id,
        unmapped: candidate.read.unmapped,
        shortened: candidate.read.shortened,
        media: candidate.read.media,
        fileLinks: candidate.read.fileLinks
      )
    }
    return findings
  }

  /// The records that are known with the content that they have, and about which there is nothing else
  /// to say; all others are left to the plan.
  private func candidates(in part: PackagedLines.Part) throws -> [Candidate] {
    var reads: [(place: Int, id: RecordID, read: MappedRecord)] = []
    for (place, line) in part.lines.enumerated() {
      guard let (id, read) = ordinary(line.bytes), !inDoubt.contains(id.key),
        try quarantined?.contains(id) != true
      else {
        continue
      }
      reads.append((place, id, read))
    }
    return zip(reads, try checkpoint.known(reads.map(\.id))).compactMap { found, known in
      guard let known, let serverID = known.serverID,
        known.content == OperationKey.digest(of: part.lines[found.place].bytes)
      else { return nil }
      return Candidate(
        place: found.place,
        id: found.id,
        read: found.read,
        serverID: serverID,
        version: known.version
      )
    }
  }

  private func ordinary(_ line: [UInt8]) -> (RecordID, MappedRecord)? {
    do throws(MappingError) {
      let read = try mapping.record(line)
      guard let key = read.key, read.queued == nil, read.claim == .none,
        rule.absence(of: read) == nil
      else { return nil }
      return (RecordID(entity: entity, key: key), read)
    } catch {
      // Its own turn says why it cannot be read.
      return nil
    }
  }

  private func isUntouched(
    _ candidate: Candidate,
    _ remote: RemoteRecord?,
    _ resolver: ReferenceResolver
  ) throws -> Bool {
    if hasGone, remote == nil {
      let isGone = try snapshot.isGone(candidate.serverID, of: entity)
      if isGone { return false }
    }
    guard let remote else { return !isWhole }
    let isReported = candidate.version != nil && remote.version != nil
    if isReported, !detectsReplacement || candidate.version != remote.version {
      return candidate.version == remote.version
    }
    do throws(MappingError) {
      let members = try candidate.read.members(.whole, resolver)
      if isReported { return !mapping.isReplaced(remote.body, than: members) }
      // Some destinations give a version only when they are read: there, the content decides.
      return mapping.isSame(members, asRemote: remote.body)
    } catch {
      // Its own turn says why it cannot be compared.
      return false
    }
  }
}
