import Checkpoint
package import JSONText
import LongTexts
package import RecordDiffs
import Records
import UploadPlanning

/// What a plan or a run does to records, for a person and for a machine.
///
/// Without values, a field is shown by its name and by what kind of value each side holds.
package struct DiffText: Sendable {
  private let showsValues: Bool
  private let isColoured: Bool

  /// The most characters of a value in a line.
  private static let valueLimit = 500

  /// - Parameters:
  ///   - showsValues: Whether what the fields hold is shown.
  ///   - isColoured: Whether lines hold the escape sequences by which a terminal shows colours.
  package init(showsValues: Bool, isColoured: Bool = false) {
    self.showsValues = showsValues
    self.isColoured = isColoured
  }

  /// One line for the record and one for each field, with nothing in them but our own colours that
  /// drives a terminal.
  package func lines(of diff: RecordDiff) -> [String] {
    let head = "\(diff.sign.rawValue) \(diff.record)\(remark(diff))"
    return [coloured(head.plainForTerminal, diff.sign)]
      + (diff.fields?.map { "    \($0.name): \(words(of: $0))".plainForTerminal }
        ?? ["    its fields were not read"])
  }

  /// What the run or the plan is, how it ended, and whose records it changes.
  package static func head(of recorded: RecordedRun, end: String) -> [String] {
    let run = recorded.run
    return [
      "\(run.kind.rawValue) \(run.id) (\(end))",
      "  account:     \(recorded.binding.account) at \(recorded.binding.origin)",
      "  package:     \(run.packagePath)",
    ].map(\.plainForTerminal)
  }

  /// The same in its published form.
  package static func value(of recorded: RecordedRun, end: String) -> JSONValue {
    let run = recorded.run
    return [
      "type": "run", "run": .string(run.id), "kind": .string(run.kind.rawValue),
      "end": .string(end), "account": .string(recorded.binding.account),
      "destination": .string(recorded.binding.origin), "package": .string(run.packagePath),
    ]
  }

  /// How many records are added, changed and removed.
  package static func line(of counts: [RecordDiff.Sign: Int]) -> String {
    RecordDiff.Sign.allCases.map { "\($0.rawValue) \(counts[$0, default: 0])" }
      .joined(separator: "  ")
  }

  private func remark(_ diff: RecordDiff) -> String {
    switch diff.state {
    case .planned, .confirmed: ""
    case .begun, .unknown, .adopted, .rejected, .conflicted:
      "  (\(diff.state.rawValue)\(showsValues ? diff.reason.map { ": \($0)" } ?? "" : ""))"
    }
  }

  /// The field from old to new; one side alone where the other has no such field.
  package func words(of field: RecordDiff.Field) -> String {
    switch (field.old, field.new) {
    case (.absent, let only), (let only, .absent): words(of: only)
    case (let old, let new): "\(words(of: old)) → \(words(of: new))"
    }
  }

  private func words(of content: RecordDiff.Content) -> String {
    switch content {
    case .absent: "nothing"
    case .unread: "not read"
    case .value(let value):
      showsValues && value.longText == nil
        ? value.canonicalText.shortened(to: Self.valueLimit) : value.kindWords
    }
  }

  private func coloured(_ text: String, _ sign: RecordDiff.Sign) -> String {
    guard isColoured else { return text }
    let colour =
      switch sign {
      case .added: 32
      case .changed: 33
      case .removed: 31
      }
    return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
  }

  // MARK: - JSON

  /// The published form of one record.
  package func value(of diff: RecordDiff) -> JSONValue {
    var object: JSONObject = [
      "type": "operation", "action": .string(diff.action.rawValue),
      "entity": .string(diff.record.entity.text), "record": .string(diff.record.key),
      "state": .string(diff.state.rawValue),
    ]
    if let fields = diff.fields {
      object["fields"] = .list(fields) { field in
        ["name": .string(field.name), "old": value(of: field.old), "new": value(of: field.new)]
      }
    }
    return .object(object)
  }

  private func value(of content: RecordDiff.Content) -> JSONValue {
    switch content {
    case .absent: .null
    case .unread: ["kind": "unread"]
    case .value(let value): value.content(showsValues: showsValues)
    }
  }
}

extension JSONValue {
  /// The published form of what a field holds: kind, length and, where values are shown, the value.
  func content(showsValues: Bool) -> JSONValue {
    var object: JSONObject = ["kind": .string(kind.description)]
    if let length { object["length"] = .whole(length) }
    if showsValues, longText == nil { object["value"] = self }
    return .object(object)
  }

  /// The characters of a text, the elements of a list or the members of an object.
  fileprivate var length: Int? {
    switch self {
    case .string(let text): longText == nil ? text.count : nil
    case .array(let elements): elements.count
    case .object(let object): object.count
    case .null, .boolean, .number: nil
    }
  }

  /// What kind of value it is and how long, without what it says.
  var kindWords: String {
    switch self {
    case .null: "nothing"
    case .boolean: "boolean"
    case .number: "number"
    case .string(let text):
      longText?.description ?? "text of \(Figures.count(text.count, "character"))"
    case .array(let elements): "list of \(Figures.count(elements.count, "element"))"
    case .object(let object): "object of \(Figures.count(object.count, "member"))"
    }
  }
}

extension JSONValue {
  /// The long text that this stands for, or `nil`.
  var longText: LongText? { text.flatMap { LongText(standIn: Array($0.utf8)) } }
}

/// The diff of a plan as a stage of a report: the first records, and how many there are of each entity.
package struct DiffStage: Sendable {
  /// The most records that a report lists.
  package static let limit = 1_000

  private let text: DiffText
  private var records: [JSONValue] = []
  /// The entities in the order of their first records.
  private var entities: [EntityName] = []
  private var entityCounts: [EntityName: [RecordDiff.Sign: Int]] = [:]

  package init(_ text: DiffText) { self.text = text }

  package mutating func add(_ diff: RecordDiff) {
    let entity = diff.record.entity
    if entityCounts[entity] == nil { entities.append(entity) }
    entityCounts[entity, default: [:]][diff.sign, default: 0] += 1
    if records.count < Self.limit { records.append(text.value(of: diff)) }
  }

  /// How many records are added, changed and removed.
  package var counts: [RecordDiff.Sign: Int] {
    entityCounts.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
  }

  package var value: JSONValue {
    [
      "type": "diff", "count": .whole(counts.values.reduce(0, +)),
      "entities": .list(entities) { entity in
        let counts = entityCounts[entity] ?? [:]
        return [
          "entity": .string(entity.text), "added": .whole(counts[.added, default: 0]),
          "changed": .whole(counts[.changed, default: 0]),
          "removed": .whole(counts[.removed, default: 0]),
        ]
      },
      "records": .array(records),
    ]
  }
}
