import JSONText
import LongTexts
import Profiles
import Records
import RequestMapping
import UploadPlanning

// What most records are: as they were sent.

extension EntityComparison {
  /// Whether a record is plainly there as it was sent, so that neither its base nor its copies are needed.
  ///
  /// Its line is the one that was sent, the revision is not another one than is known, and the destination
  /// shows each field with what the line says. Whatever the base is, the three copies come to *unchanged*
  /// then: nothing is outstanding, not shown or deferred. The converse does not hold.
  func isPlainlySame(_ record: Placed, _ bytes: [UInt8]) throws(MappingError) -> Bool {
    guard let known = record.known, let remote = record.remote, remote.denial == nil,
      remote.version == nil || known.version == nil || remote.version == known.version,
      !record.read.claim.isDeleted, !LongText.mayBeIn(remote.body),
      known.content == OperationKey.digest(of: bytes)
    else { return false }
    let members: [RequestField]
    do throws(MappingError) { members = try record.read.members(.whole, resolver) } catch {
      // What it names is open, which the whole comparison says in its own words.
      return false
    }
    guard shows(members, remote.body, record.read.program) else { return false }
    return try record.read.unlinkedMembers(resolver).isEmpty
  }

  /// Whether a record of the destination's shows each of some members, with values that say the same.
  private func shows(
    _ members: [RequestField],
    _ remote: [UInt8],
    _ program: RequestProgram
  ) -> Bool {
    do throws(JSONError) { try remoteDocument.parse(keeping: remote) } catch { return false }
    let root = remoteDocument.root
    let compared = members.filter { program.api.compare[$0.name] != .ignored }
    return compared.allSatisfy { remoteDocument.member(of: root, named: $0.name) != nil }
      && program.isSame(compared, root, in: remoteDocument)
  }
}
