import JSONText
import TestSupport

/// What a server holds, without what is new at every run: ids, times, addresses.
///
/// A row is its content; a reference is the content of the row it leads to, and a media address the
/// digest of the bytes there. Rows that are there twice are counted twice.
struct ServerContent: Hashable, Sendable {
  /// How often each row is there, by table.
  private(set) var rows: [String: [String: Int]] = [:]

  init(dump: JSONValue) {
    var media: [String: String] = [:]
    for file in dump["files"]?.array ?? [] {
      guard let key = file["storageKey"]?.text else { continue }
      media[key] = file["sha256"]?.text ?? "nothing"
    }
    var known: [String: String] = [:]
    // Parents before children, so that a reference can be determined by content.
    for table in ["customEvents", "heroes", "visualProfiles", "stories"] {
      for row in dump[table]?.array ?? [] {
        let text = Self.text(of: row, known: known, media: media)
        if let id = row["id"]?.text { known[id] = text }
        rows[table, default: [:]][text, default: 0] += 1
      }
    }
    for record in dump["records"]?.array ?? [] {
      rows["records", default: [:]][Self.text(of: record, known: [:], media: media), default: 0] +=
        1
    }
  }

  private static func text(
    of row: JSONValue,
    known: [String: String],
    media: [String: String]
  ) -> String {
    var content = JSONObject()
    for member in row.object?.members ?? [] {
      switch member.name {
      case "id", "userId", "createdAt", "updatedAt", "visualProfileId": continue
      case "heroId", "customEventId":
        content[member.name] = member.value.text.map { .string(known[$0] ?? "dangling") } ?? .null
      case "avatarUrl", "audioUrl":
        let key = media.keys.first { member.value.text?.hasSuffix($0) ?? false }
        content[member.name] = key.flatMap { media[$0] }.map { .string($0) } ?? member.value
      default: content[member.name] = member.value
      }
    }
    return JSONValue.object(content).canonicalText
  }

  /// What is here and not in another, and the other way round; empty when both are the same.
  func differences(from other: ServerContent) -> [String] {
    var lines: [String] = []
    for table in Set(rows.keys).union(other.rows.keys).sorted() {
      let (mine, theirs) = (rows[table] ?? [:], other.rows[table] ?? [:])
      for text in Set(mine.keys).union(theirs.keys).sorted() {
        let (here, there) = (mine[text] ?? 0, theirs[text] ?? 0)
        if here != there {
          lines.append("\(table): \(here) instead of \(there) × \(text.prefix(160))")
        }
      }
    }
    return lines
  }
}
