package import JSONText
package import Records
package import UploadPlanning

/// What a plan or a run does to one record at the destination, field by field.
package struct RecordDiff: Hashable, Sendable {
  /// What becomes of the record.
  package enum Sign: String, Sendable, CaseIterable {
    case added = "+"
    case changed = "~"
    case removed = "-"

    init(_ action: Operation.Action) {
      switch action {
      case .create, .upload: self = .added
      case .update, .complete, .restore: self = .changed
      case .delete, .uncreate, .unupload, .discard: self = .removed
      }
    }
  }

  /// What a field holds on one side.
  package enum Content: Hashable, Sendable {
    /// The side has no such field.
    case absent
    /// Nothing here says what it holds: it was not kept, or it is encrypted to others.
    case unread
    case value(JSONValue)

    init(_ value: JSONValue?) { self = value.map { .value($0) } ?? .absent }
  }

  package struct Field: Hashable, Sendable {
    package let name: String
    package let old: Content
    package let new: Content

    package init(name: String, old: Content, new: Content) {
      self.name = name
      self.old = old
      self.new = new
    }
  }

  package let record: RecordID
  package let action: Operation.Action
  package let state: Operation.State
  /// Why the destination refused it, or why it is in conflict.
  package let reason: String?
  /// The fields in the order of their names; `nil` where nothing says which they are.
  package let fields: [Field]?

  package init(
    record: RecordID,
    action: Operation.Action,
    state: Operation.State = .planned,
    reason: String? = nil,
    fields: [Field]?
  ) {
    self.record = record
    self.action = action
    self.state = state
    self.reason = reason
    self.fields = fields
  }

  package var sign: Sign { Sign(action) }
}
