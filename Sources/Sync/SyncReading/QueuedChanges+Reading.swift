package import ExportPackage
import JSONText
package import Profiles
import Records
package import RequestMapping
import StageSupport

extension QueuedChanges {
  /// Reads every queue of the package.
  package init(_ package: PackageReader, _ profile: Profile, quarantined: QuarantinedRecords?)
    throws
  {
    var queues: [QueueEntries] = []
    for entity in profile.entities {
      guard let rule = entity.queue, package.manifest.recordCount(of: entity.name) > 0 else {
        continue
      }
      let keyMember = package.manifest.entities.first { $0.name == entity.name }?.key ?? "id"
      var queue = QueueEntries(entity: entity.name, rule: rule)
      queue.entries = try Self.entries(package, entity.name, rule, keyMember)
      try queue.findUnnamed(in: package, profile, keyMember)
      for entry in queue.entries {
        let id = RecordID(entity: entity.name, key: entry.key)
        if try quarantined?.contains(id) == true { queue.quarantined.insert(entry.number) }
      }
      queues.append(queue)
    }
    self.init(queues, profile.api)
  }

  private static func entries(
    _ package: PackageReader,
    _ entity: EntityName,
    _ rule: QueueRule,
    _ keyMember: String
  ) throws -> [QueueEntry] {
    var entries: [QueueEntry] = []
    try package.forEachRecord(of: entity) { line, source in
      // A line that is no object, or has no key, is refused when the package is validated.
      guard let value = QueueEntry.parsed(line), let key = value[keyMember]?.scalarText else {
        return
      }
      let moment = rule.order.flatMap { value[$0]?.text }.flatMap { QueueEntry.moment($0) }
      entries.append(
        QueueEntry(
          number: entries.count,
          key: key,
          kind: value[rule.kind]?.scalarText ?? "",
          moment: moment,
          record: value,
          source: source
        )
      )
    }
    return entries
  }
}
