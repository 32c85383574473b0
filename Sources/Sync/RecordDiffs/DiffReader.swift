package import Checkpoint
import JSONText
import Profiles
package import Records
package import RequestMapping
import UploadPlanning

/// Turns what a checkpoint holds of an operation into a diff.
///
/// | operation | old | new |
/// |---|---|---|
/// | create | – | what the record says |
/// | update that was planned with its fields | these fields as the plan found them | what the record says |
/// | update of a run | the fields that differ, as they were right before the request | what the record says |
/// | restore | the same, the two sides exchanged | |
/// | delete, removal | what the record said last, else what was there | – |
package struct DiffReader {
  private let mappings: RequestMappings?
  private let open: ([UInt8]) -> [UInt8]?
  private let serverID: (RecordID) -> String?

  /// - Parameters:
  ///   - mappings: How records and requests correspond; `nil` where the profile has no destination.
  ///   - open: Opens what the checkpoint keeps as the package is; gives `nil` for what is encrypted to others.
  ///   - serverID: Where a record is at the destination.
  package init(
    _ mappings: RequestMappings?,
    open: @escaping ([UInt8]) -> [UInt8]?,
    serverID: @escaping (RecordID) -> String?
  ) {
    self.mappings = mappings
    self.open = open
    self.serverID = serverID
  }

  package func diff(of operation: RecordedOperation) -> RecordDiff {
    RecordDiff(
      record: operation.record,
      action: operation.action,
      state: operation.state,
      reason: operation.reason,
      fields: fields(of: operation)
    )
  }

  private func fields(of operation: RecordedOperation) -> [RecordDiff.Field]? {
    switch operation.action {
    case .upload, .unupload, .discard: []
    case .create:
      said(operation).map { said in
        fields(said.names.filter { said[$0]?.isNull == false }, old: JSONObject(), new: said)
      }
    case .update, .complete: changes(operation)
    case .restore:
      changes(operation)?.map { RecordDiff.Field(name: $0.name, old: $0.new, new: $0.old) }
    case .delete, .uncreate:
      (said(operation) ?? before(operation)).map { last in
        fields(last.names.filter { last[$0]?.isNull == false }, old: last, new: JSONObject())
      }
    }
  }

  private func changes(_ operation: RecordedOperation) -> [RecordDiff.Field]? {
    let said = said(operation)
    if let changed = operation.changed {
      return fields(changed, old: operation.planned.flatMap(object), new: said)
    }
    guard let said, let before = before(operation), let mapping = mapping(of: operation) else {
      return nil
    }
    // Which file a link leads to, only the destination knows.
    let names = Set(mapping.updated).subtracting(mapping.program.fileLinks)
    let sent = said.sortedMembers.filter { names.contains($0.name) }.map { member in
      RequestField(name: member.name, value: resolved(member.value).canonicalBytes)
    }
    do throws(MappingError) {
      let changed = try mapping.changes(from: JSONValue.object(before).canonicalBytes, to: sent)
      return fields(changed.map(\.name), old: before, new: said)
    } catch {
      return nil
    }
  }

  private func fields(
    _ names: [String],
    old: JSONObject?,
    new: JSONObject?
  ) -> [RecordDiff.Field] {
    names.sorted().map { name in
      RecordDiff.Field(
        name: name,
        old: old.map { RecordDiff.Content($0[name]) } ?? .unread,
        new: new.map { RecordDiff.Content($0[name]) } ?? .unread
      )
    }
  }

  /// What the record says, and what the destination is given in place of that.
  private func said(_ operation: RecordedOperation) -> JSONObject? {
    guard var said = operation.said.flatMap(object) else { return nil }
    for member in operation.sent.flatMap(object)?.members ?? [] {
      said[member.name] = member.value
    }
    return said
  }

  /// The fields of the record that were at the destination, without those that are the destination's own.
  private func before(_ operation: RecordedOperation) -> JSONObject? {
    guard let before = operation.before.flatMap(object), let mapping = mapping(of: operation)
    else {
      return nil
    }
    var own = JSONObject()
    for name in mapping.updated { own[name] = before[name] }
    return own
  }

  private func mapping(of operation: RecordedOperation) -> EntityMapping? {
    mappings?.mapping(for: operation.record.entity)
  }

  private func object(_ kept: [UInt8]) -> JSONObject? { open(kept).flatMap(parsed) }

  private func parsed(_ bytes: [UInt8]) -> JSONObject? {
    do throws(JSONError) { return try JSONValue(parsing: bytes).object } catch { return nil }
  }

  /// The value with each reference as the destination knows it, where the checkpoint knows it too.
  private func resolved(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): .array(elements.map(resolved))
    case .string(let text): reference(text).map { .string($0) } ?? value
    case .null, .boolean, .number, .object: value
    }
  }

  private func reference(_ text: String) -> String? {
    guard let mappings else { return nil }
    for mapping in mappings.all {
      let entity = mapping.program.api.entity
      guard let record = ReferenceResolver.record(of: entity, placeholderFor: text) else {
        continue
      }
      return serverID(record)
    }
    return nil
  }
}
