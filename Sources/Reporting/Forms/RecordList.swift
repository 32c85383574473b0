import JSONText

/// Records that a report shows field by field: those of a plan's diff, or those that were quarantined.
struct RecordList {
  struct Field {
    let name: String
    /// `nil` where the side has no such field.
    let old: String?
    let new: String?

    /// From old to new, or the one side there is.
    var words: String {
      guard let old, let new else { return old ?? new ?? "nothing" }
      return "\(old) → \(new)"
    }
  }

  struct Entry {
    /// `+`, `~` or `-`; empty where nothing becomes of the record.
    let sign: String
    let entity: String
    let record: String
    let state: String
    let fields: [Field]
    /// What is the matter with the record: cause and code.
    let faults: [String]

    var name: String { "\(entity)/\(record)" }
  }

  /// How many records of an entity a plan adds, changes and removes, however many are listed.
  struct EntityCounts {
    let entity: String
    var added = 0
    var changed = 0
    var removed = 0

    var count: Int { added + changed + removed }
  }

  let entries: [Entry]
  /// How many records there are; more than are listed, where the list was full.
  let count: Int
  /// The same by entity; those that are listed, where a stage does not count them.
  let entities: [EntityCounts]

  /// The list of all stages of a kind: `diff` or `quarantined`; `nil` where no stage is of the kind.
  init?(_ report: Report, kind: String) {
    let stages = report.stages.filter { $0.kind == kind }.map(\.value)
    guard !stages.isEmpty else { return nil }
    entries = stages.flatMap { $0["records"]?.array ?? [] }.map(Self.entry)
    count = max(entries.count, stages.reduce(0) { $0 + ReportStage.bounded($1["count"]) })
    entities = stages.flatMap(Self.counts).grouped(by: \.entity).map { entity, counts in
      counts.reduce(into: EntityCounts(entity: entity)) { sum, count in
        sum.added += count.added
        sum.changed += count.changed
        sum.removed += count.removed
      }
    }
  }

  private static func counts(of stage: JSONValue) -> [EntityCounts] {
    guard let counts = stage["entities"]?.array else {
      return (stage["records"]?.array ?? []).map(entry).map { entry in
        EntityCounts(
          entity: entry.entity,
          added: entry.sign == "+" ? 1 : 0,
          changed: entry.sign == "~" ? 1 : 0,
          removed: entry.sign == "-" ? 1 : 0
        )
      }
    }
    return counts.map { value in
      EntityCounts(
        entity: value["entity"]?.text ?? "",
        added: ReportStage.bounded(value["added"]),
        changed: ReportStage.bounded(value["changed"]),
        removed: ReportStage.bounded(value["removed"])
      )
    }
  }

  /// How many records are new, changed and removed, in words.
  var countWords: String {
    let counts = [
      ("new", \EntityCounts.added), ("changed", \.changed), ("removed", \.removed),
    ].map { word, count in (word, entities.reduce(0) { $0 + $1[keyPath: count] }) }
    return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
  }

  private static func entry(_ value: JSONValue) -> Entry {
    Entry(
      sign: sign(value["action"]?.text ?? ""),
      entity: value["entity"]?.text ?? "",
      record: value["record"]?.text ?? "?",
      state: value["state"]?.text ?? "",
      fields: (value["fields"]?.array ?? []).map(field),
      faults: (value["findings"]?.array ?? []).map { finding in
        let pointer = finding["pointer"]?.text ?? ""
        let place = pointer.isEmpty ? "" : "\(pointer): "
        return "\(place)\(finding["cause"]?.text ?? "") [\(finding["code"]?.text ?? "")]"
      }
    )
  }

  private static func sign(_ action: String) -> String {
    switch action {
    case "create", "upload": "+"
    case "update", "complete", "restore": "~"
    case "delete", "uncreate", "unupload", "discard": "-"
    default: ""
    }
  }

  private static func field(_ value: JSONValue) -> Field {
    Field(
      name: value["name"]?.text ?? "",
      old: value["old"].flatMap(words),
      new: (value["new"] ?? value["content"]).flatMap(words)
    )
  }

  /// The most characters of a value.
  private static let valueLimit = 300

  private static func words(_ content: JSONValue) -> String? {
    guard let kind = content["kind"]?.text else { return nil }
    if let value = content["value"] {
      return (value.text ?? value.canonicalText).shortened(to: valueLimit)
    }
    let length = content["length"]?.integer.map { Int(clamping: $0) } ?? 0
    switch kind {
    case "string": return "text of \(Figures.count(length, "character"))"
    case "array": return "list of \(Figures.count(length, "element"))"
    case "object": return "object of \(Figures.count(length, "member"))"
    case "null": return "nothing"
    case "unread": return "not read"
    default: return kind
    }
  }
}
