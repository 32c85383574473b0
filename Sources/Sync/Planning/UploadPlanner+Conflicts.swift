import Checkpoint
import ExportPackage
import JSONText
import LongTexts
import Records
import RequestMapping
import SyncReading
import UploadPlanning

/// What becomes of a decision once both sides were looked at.
struct SettledDecision {
  var decision: PlanDecision
  /// The fields in which the destination gets, or has, something else than the record says.
  var sent = JSONObject()
  var findings: [Finding] = []

  /// Whether a person decided a conflict for the destination's side.
  var isDecided: Bool { findings.contains { $0.code == Finding.decidedCode } }
}

extension UploadPlanner {
  /// The base of a record, for the next run: what both sides say once this one has ended,
  /// regardless of its policy.
  func image(
    of settled: SettledDecision,
    _ record: LocalRecord
  ) throws -> RecordImage? {
    switch settled.decision {
    case .create, .adopt, .update, .remoteNewer: break
    case .keptRemote:
      if record.claim.isDeleted { return nil }
    case .unchanged, .conflict, .delete, .skip: return nil
    }
    return RecordImage(
      record: record.id,
      content: record.content,
      requestDigest: record.plain.digest,
      base: package.kept(JSONValue.object(try base(of: settled, record)).canonicalBytes),
      sent: settled.sent.isEmpty
        ? nil : try kept(JSONValue.object(settled.sent))
    )
  }

  /// What a record says, and of what never changes what it said when it was made: no change brings that.
  private func base(
    of settled: SettledDecision,
    _ record: LocalRecord
  ) throws -> JSONObject {
    let requestDigest = reader.mappings[record.id.entity]
    var said = requestDigest.program.image(of: record.plain.whole)
    guard case .update = settled.decision, requestDigest.hasLastingKey,
      let last = try base(of: record),
      let made = requestDigest.object(last.base)
    else { return said }
    for name in requestDigest.program.lastingKey { said[name] = made[name] ?? said[name] }
    return said
  }

  private func base(of record: LocalRecord) throws -> RecordImage? {
    try base(of: record.id, record.known)
  }

  func base(
    of record: RecordID,
    _ known: SyncState?
  ) throws -> RecordImage? {
    guard let known, known.serverID != nil else { return nil }
    let image = try checkpoint.image(
      of: record,
      requestDigest: known.requestDigest,
      content: known.content
    )
    let plain = try image?.opened(by: reader.values)
    return plain.map { plain in
      reader.mappings[record.entity].image(plain, of: known)
    }
  }

  /// A value as the checkpoint keeps it.
  func kept(_ value: JSONValue) throws -> [UInt8] {
    do throws(KeepingFault) {
      return try reader.values.kept(value.canonicalBytes)
    } catch {
      switch error {
      case .checkpoint(let error): throw error
      case .text(let fault):
        throw PackageError.damaged(path: package.path, reason: fault.description)
      }
    }
  }
}

extension Finding {
  /// A value that both sides had changed and that did not are.
  static func merged(_ record: RecordID, member: String, isHere: Bool) -> Finding {
    Finding(
      code: "plan.merged",
      severity: .warning,
      entity: record.entity,
      record: record.key,
      cause: "both sides changed \(member), and "
        + (isHere
          ? "the destination's content is kept, as the profile says"
          : "the store's content is sent, as the profile says"),
      cure: isHere
        ? "the store's value is kept in the package"
        : "the destination's value is kept in the checkpoint; `ferry rollback` restores it"
    )
  }
}

extension RecordImage {
  /// The image in plain text, as a plan for this package may have kept it encrypted.
  func opened(by values: CheckpointValues) throws(PackageError) -> RecordImage {
    RecordImage(
      record: record,
      content: content,
      requestDigest: requestDigest,
      base: try values.opened(base),
      sent: try sent.map { value throws(PackageError) in try values.opened(value) }
    )
  }
}
