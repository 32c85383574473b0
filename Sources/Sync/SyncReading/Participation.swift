package import Profiles
import Records
package import RequestMapping
import StageSupport
package import UploadPlanning

// Which records of a package take part in an upload, and so in its verification.

extension EntityProfile {
  /// Whether any records of the entity are sent.
  package func isSent(to api: Api?, _ selection: Selection) -> Bool {
    outcomeWithoutSending(api) == nil && !selection.leavesOut(name)
  }
}

/// Whose records are sent, and which of them a person wants.
package struct SkipRule: Sendable {
  package let entity: EntityProfile
  /// The names of the account that is signed in.
  let owners: [String]
  let selection: Selection

  /// Why a record is not sent.
  package enum Absence: Hashable, Sendable {
    /// It lacks these fields, which the destination needs.
    case unmapped(without: [String])
    case left(SkipReason)
  }

  /// Why a record is not sent, by what it says of itself; `nil` where that speaks for it.
  package func absence(of read: MappedRecord) -> Absence? {
    let missing = read.missingNeeds
    if !missing.isEmpty { return .unmapped(without: missing) }
    return reason(for: read).map { .left($0) }
  }

  private func reason(for read: MappedRecord) -> SkipReason? {
    if let rule = entity.owner {
      guard let owner = read.owner else {
        return rule.ownsUnnamed ? chosen(read) : .unowned
      }
      guard owners.contains(where: { AccountName.isSame($0, owner) }) else { return .otherOwner }
    }
    return chosen(read)
  }

  private func chosen(_ read: MappedRecord) -> SkipReason? {
    selection.leavesOut(read, of: entity.name) ? .notChosen : nil
  }
}

extension SourceClaim {
  /// Why a record is not sent, by its state in the app and in `known`, its sync state; `nil` where
  /// these speak for it.
  package func reasonToSkip(_ known: SyncState?) -> SkipReason? {
    guard isDeleted else { return meaning == .ignore ? .ignored : nil }
    // A run has deleted it already, or the server never had it.
    guard let known else { return serverID == nil ? .neverSent : nil }
    return known.serverID == nil ? .alreadyGone : nil
  }

  /// Whether a run leaves a record as others changed it at the destination, which has another
  /// `revision` than is `known`: the app has no change of its own.
  package func leavesNewer(_ revision: String?, than known: String?) -> Bool {
    meaning == .synced && revision != known
  }
}

extension MappedRecord {
  /// Whether a record cannot be sent because it names another one of which `resolver` knows no place.
  package func isBlocked(_ resolver: ReferenceResolver) -> Bool {
    do throws(MappingError) {
      _ = try form(resolver)
      return false
    } catch {
      return error.code == "request.missing-reference"
    }
  }
}
