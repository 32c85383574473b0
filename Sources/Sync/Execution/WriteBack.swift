package import AgeEncryption
package import Checkpoint
import ExportPackage
import Files
package import JSONText
package import Profiles
import Records
import RequestMapping
package import StageSupport
import TextCodecs

/// Writes what the app has to put into its own store after a run, under `ferry.write-back.v1`.
///
/// | status | what the app does with the record |
/// |---|---|
/// | `synced` | sets the attributes, which say what it keeps of the destination |
/// | `replace` | sets the attributes: the destination's content is newer, or won |
/// | `restore` | makes the row again, or removes the mark of its deletion, and sets the attributes |
/// | `withdrawn` | sets the attributes: the record is no longer at the destination |
/// | `deleted` | removes the row that it had marked as deleted: it is gone at the destination too |
/// | `failed` | keeps the record as not synced, and may show the reason |
/// | `skipped` | keeps the record as it is: the run left it out, or it is deleted and live rows name it |
/// | `conflicted` | as with `failed`. The attributes, where there are any, are the destination's content, for a person to compare |
///
/// A row of the app's queue of changes is removed where its outcome is `carried` or `folded`.
package struct WriteBack: Sendable {
  let run: RunRecord
  let checkpoint: CheckpointView
  private let bookkeeping: [EntityName: StoreBookkeeping]
  /// Opens values that are kept encrypted.
  private let open: @Sendable ([UInt8]) throws -> [UInt8]

  /// - Parameters:
  ///   - run: The run that the app takes over.
  ///   - checkpoint: The checkpoint that knows it.
  ///   - profile: The profile of the run, which says where the app keeps what it knows of the destination;
  ///     `nil` leaves that out.
  ///   - open: Opens values that are kept as an encrypted package is.
  package init(
    run: RunRecord,
    checkpoint: CheckpointView,
    profile: Profile? = nil,
    open: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 }
  ) {
    self.run = run
    self.checkpoint = checkpoint
    self.open = open
    bookkeeping = Dictionary(
      (profile?.entities ?? []).map {
        ($0.name, StoreBookkeeping($0, profile?.api?.entity($0.name)))
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private var binding: CheckpointBinding { checkpoint.binding }

  /// A page of records behind `last`; the empty one is the end.
  package func page(after last: WriteBackEntry?) throws -> [WriteBackEntry] {
    try checkpoint.writeBack(of: run, after: last)
  }

  /// The rows of the app's queue of changes, and what became of each.
  package func operations() throws -> [WriteBackOperation] {
    try checkpoint.writeBackOperations(of: run)
  }

  /// The records of the run's package that have no entry, by entity and reason.
  package func recordsWithoutEntry() throws -> [LeftRecord] {
    try checkpoint.recordsWithoutEntry(of: run)
  }

  /// Writes the file whole, replacing one that is there; gives how many records it names.
  ///
  /// Reads a page of records, writes it, and goes on: memory does not follow the data.
  package func write(to path: String) throws -> Int {
    var file = try WholeFileDraft(for: path)
    try file.write(opening(try operations(), try recordsWithoutEntry()))
    var count = 0
    var last: WriteBackEntry?
    while true {
      let page = try page(after: last)
      guard let end = page.last else { break }
      last = end
      for entry in page {
        if count > 0 { try file.write(Array(",\n".utf8)) }
        try file.write(try line(of: entry).canonicalBytes)
        count += 1
      }
    }
    try file.write(Array("\n]}\n".utf8))
    try file.publish()
    return count
  }

  /// Everything up to the first record.
  private func opening(_ operations: [WriteBackOperation], _ left: [LeftRecord]) -> [UInt8] {
    let object: JSONObject = [
      "format": "1.0", "run": .string(run.id), "store": .string(binding.store),
      "destination": .string(binding.origin), "account": .string(binding.account),
      "profile": .string(binding.profile),
      "operations": .array(operations.map { .object(Self.line(of: $0)) }),
      "withoutEntry": .array(left.map { .object(Self.line(of: $0)) }),
    ]
    // The records come last, one a line, so that they can be written as they are read.
    return JSONValue.object(object).canonicalBytes.dropLast() + Array(",\"records\":[\n".utf8)
  }

  private static func line(of operation: WriteBackOperation) -> JSONObject {
    [
      "entity": .string(operation.row.entity.text), "key": .string(operation.row.key),
      "outcome": .string(operation.outcome.rawValue), "reason": .text(operation.reason),
      "targetEntity": .text(operation.target?.entity.text),
      "targetLocalID": .text(operation.target?.key),
    ]
  }

  private static func line(of left: LeftRecord) -> JSONObject {
    [
      "entity": .string(left.entity.text), "reason": .string(left.reason),
      "count": .number(JSONNumber(Int64(left.count))),
    ]
  }

  private func line(of entry: WriteBackEntry) throws -> JSONValue {
    let values = try values(of: entry)
    return [
      "entity": .string(entry.record.entity.text), "localID": .string(entry.record.key),
      "status": .string(entry.status.rawValue), "serverID": .text(entry.serverID),
      "serverRevision": .text(entry.revision), "syncedAt": .text(entry.syncedText),
      "reason": .text(entry.reason), "attributes": .object(values.attributes),
      "unmapped": .array(values.unmapped.map { .string($0) }),
    ]
  }

  /// What the app writes into the attributes of a record.
  package struct Values: Hashable, Sendable {
    /// By the path of the attribute or the name of the relationship, in the form of a package's record.
    package var attributes = JSONObject()
    /// The fields of the destination that have no exact way back into the store.
    package var unmapped: [String] = []
  }

  /// The destination's content as the app takes it over, with what the app keeps of the destination.
  ///
  /// - Throws: `PackageError.notForUs` where values are encrypted and nothing opens them.
  package func values(of entry: WriteBackEntry) throws -> Values {
    var values = try keptValues(of: entry)
    let own = bookkeeping[entry.record.entity]
    let settled =
      own?.settled(
        serverID: entry.serverID,
        revision: entry.revision,
        syncedAt: entry.syncedText
      ) ?? JSONObject()
    switch entry.status {
    case .synced, .replace: values.attributes.add(settled)
    case .restore:
      values.attributes.add(settled)
      values.attributes.add(own?.undeleted ?? JSONObject())
    case .withdrawn: values.attributes.add(own?.withdrawn ?? JSONObject())
    case .deleted, .failed, .conflicted, .skipped: break
    }
    return values
  }

  private func keptValues(of entry: WriteBackEntry) throws -> Values {
    guard let kept = entry.values else { return Values() }
    let bytes = try open(kept)
    do throws(JSONError) {
      let value = try JSONValue(parsing: bytes)
      return Values(
        attributes: value["attributes"]?.object ?? JSONObject(),
        unmapped: value["unmapped"]?.array?.compactMap(\.text) ?? []
      )
    } catch {
      throw CheckpointError.damaged(
        path: checkpoint.path,
        reason: "its content of \(entry.record) is not JSON"
      )
    }
  }
}

extension WriteBackEntry {
  /// The destination's revision, where it has one.
  package var revision: String? { version.flatMap { $0.isEmpty ? nil : $0 } }

  fileprivate var syncedText: String? {
    syncedAt.map { Timestamp.text(secondsSince1970: $0) }
  }
}

extension JSONObject {
  fileprivate mutating func add(_ other: JSONObject) {
    for member in other.members { self[member.name] = member.value }
  }
}

extension FoundRun {
  /// What the app has to put into its own store after the run.
  ///
  /// - Parameter identities: What opens the package of the run where it is encrypted.
  /// - Returns: The write-back, which is read from the checkpoint page by page.
  /// - Throws: An error when the profile of the run or an encrypted package cannot be read.
  package func writeBack(identities: [AgeIdentity] = []) throws -> WriteBack {
    let profile = try profile()
    return WriteBack(run: run, checkpoint: checkpoint, profile: profile) {
      (value) in
      guard AgeText.isSealed(value) else { return value }
      do throws(AgeError) {
        return try AgeText.opened(value, with: identities)
      } catch {
        throw PackageError.notForUs(path: checkpoint.path)
      }
    }
  }
}
