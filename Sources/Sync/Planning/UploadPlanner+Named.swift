import Checkpoint
import ExportPackage
import JSONText
import Profiles
import Records
import RequestMapping
import StageSupport
import SyncReading
import Synchronization

// Rows that their user deleted, and that live ones name.

extension UploadPlanner {
  /// Finds the deleted records that live ones name, or that rows may name which were not exported: the app
  /// keeps their rows, or what names them would lead nowhere.
  ///
  /// Records that follow from others name nothing by themselves. And a list keeps none of its records that the
  /// other end of the list leads back from: that is one link, which goes with the record's row.
  func findNamed(_ interruption: CancellationToken) throws {
    let naming = package.manifest.entities.filter { profile.entity($0.name)?.role != .derived }
    let targets = Set(naming.flatMap { $0.references.flatMap(\.entities) })
    let document = JSONDocument()
    let inverses = Set(naming.flatMap { $0.references.compactMap(\.inverse) })
    /// The deleted records, with the links by which each leads back to a list.
    var deleted: [RecordID: Set<LinkEnd>] = [:]
    for entity in targets.sorted() {
      guard let rows = DeletedRows(of: entity, self), let held = package.manifest.entity(entity)
      else { continue }
      let own = held.references.filter { !$0.isToMany && inverses.contains($0.member) }
      try forEachLine(of: entity, interruption) { line in
        guard let id = try rows.record(line) else { return }
        deleted[id] = own.isEmpty ? [] : Set(document.links(own, in: line, of: held).map(\.end))
      }
    }
    guard !deleted.isEmpty else { return }
    let gone = Set(deleted.keys.map(\.entity))
    for entity in naming {
      let references = entity.references.filter { !gone.isDisjoint(with: $0.entities) }
      guard !references.isEmpty else { continue }
      let rows = DeletedRows(of: entity.name, self)
      try forEachLine(of: entity.name, interruption) { line in
        let found = document.links(references, in: line, of: entity).filter { link in
          guard let own = deleted[link.end.target] else { return false }
          return link.otherEnd.map { !own.contains($0) } ?? true
        }
        guard !found.isEmpty, try rows?.record(line) == nil else { return }
        for link in found {
          named.insert(link.end.target, because: "rows of \(entity.name) still name it")
        }
      }
      guard !entity.hasEveryRow else { continue }
      let unread = "rows of \(entity.name) that were not exported may still name it"
      let possible = Set(references.flatMap(\.entities))
      for id in deleted.keys where possible.contains(id.entity) {
        named.insert(id, because: unread)
      }
    }
  }

  private func forEachLine(
    of entity: EntityName,
    _ interruption: CancellationToken,
    _ body: ([UInt8]) throws -> Void
  ) throws {
    guard package.manifest.entity(entity) != nil else { return }
    try package.forEachRecord(of: entity) { line, _ in
      if interruption.isCancelled { throw MigrationError.interrupted }
      try body(line)
    }
  }

  /// Says which rows of an entity their user deleted.
  private struct DeletedRows {
    private let mapping: EntityMapping
    private let checkpoint: CheckpointFile
    /// What the queue says of records where the changes count that the app has done or given up since, too.
    private let former: [RecordID: QueuedChange]

    /// `nil` where neither a mark nor a queued change can say so.
    init?(of entity: EntityName, _ planner: UploadPlanner) {
      guard let mapping = planner.reader.mappings.mapping(for: entity) else { return nil }
      let queue = planner.reader.mappings.queue
      let rule = mapping.program.profile.sync
      former = queue.formerChanges(of: entity)
      guard
        rule?.deleted != nil || rule?.meanings.values.contains(.delete) == true
          || queue.changes(of: entity).values.contains(where: \.isDeleted)
          || former.values.contains(where: \.isDeleted)
      else { return nil }
      self.mapping = mapping
      checkpoint = planner.checkpoint
    }

    /// The record of a line; `nil` where it is live, or cannot be read.
    func record(_ line: [UInt8]) throws -> RecordID? {
      guard let read = try? mapping.record(line), let id = read.id else { return nil }
      if former[id] == nil { return read.claim.isDeleted ? id : nil }
      let known = try checkpoint.known(id)
      let carried = try? mapping.record(line, carriedAs: known)
      return (carried ?? read).claim.isDeleted ? id : nil
    }
  }
}

/// The deleted records whose rows the app keeps, each with the reason.
final class NamedDeletions: Sendable {
  private let reasons = Mutex<[RecordID: String]>([:])

  /// Adds a record, unless a reason for it is known.
  func insert(_ record: RecordID, because reason: String) {
    reasons.withLock { reasons in
      if reasons[record] == nil { reasons[record] = "it is deleted, and \(reason)" }
    }
  }

  var isEmpty: Bool { reasons.withLock(\.isEmpty) }

  func reason(for record: RecordID) -> String? { reasons.withLock { $0[record] } }
}

/// What a member of a record leads to.
private struct LinkEnd: Hashable {
  let member: String
  let target: RecordID
}

/// What a reference of a record leads to.
private struct RecordLink {
  let end: LinkEnd
  /// The same link as the record that it leads to has it, where it is one of a list that has an inverse.
  let otherEnd: LinkEnd?
}

extension JSONDocument {
  /// What the references in a line of an entity lead to; nothing where it is not JSON.
  fileprivate func links(
    _ references: [PackageManifest.Reference],
    in line: [UInt8],
    of entity: PackageManifest.Entity
  ) -> [RecordLink] {
    do throws(JSONError) { try parse(keeping: line) } catch { return [] }
    guard kind(of: root) == .object else { return [] }
    var links: [RecordLink] = []
    for reference in references {
      guard let node = member(of: root, named: reference.member) else { continue }
      func add(_ node: JSONNode, _ otherEnd: LinkEnd?) {
        let key = text(ofScalar: node)
        links += reference.entities.map { name in
          let target = RecordID(entity: name, key: key)
          return RecordLink(
            end: LinkEnd(member: reference.member, target: target),
            otherEnd: otherEnd
          )
        }
      }
      switch kind(of: node) {
      case .null: continue
      case .array:
        let otherEnd = otherEnd(of: reference, entity)
        forEachElement(of: node) { add($0, otherEnd) }
      default: add(node, nil)
      }
    }
    return links
  }

  /// How the records of a list lead back to the one that has it.
  private func otherEnd(
    of list: PackageManifest.Reference,
    _ entity: PackageManifest.Entity
  ) -> LinkEnd? {
    guard let inverse = list.inverse, let key = member(of: root, named: entity.key) else {
      return nil
    }
    return LinkEnd(
      member: inverse,
      target: RecordID(entity: entity.name, key: text(ofScalar: key))
    )
  }
}
