import JSONText

/// What becomes of whose data: the plan's diff, and the records that were quarantined.
extension HTMLReport {
  /// The most records of a section; more make a page that a browser is slow with.
  private static let recordLimit = 1_000

  /// What a plan does to each record.
  var diff: String {
    guard let list = RecordList(report, kind: "diff") else { return "" }
    var text = "<section><h2>What happens to the records</h2>\n"
    guard list.count > 0 else { return text + "<p>Nothing: no record changes.</p></section>\n" }
    text += "<p>\(list.countWords).</p>\n"
    let listed = Dictionary(grouping: list.entries.prefix(Self.recordLimit), by: \.entity)
    for counts in list.entities {
      let entries = listed[counts.entity] ?? []
      let words = Figures.count(counts.count, "record")
      let few = entries.count < counts.count ? " (\(entries.count) listed)" : ""
      text += "<details class=\"records\"><summary><b>\(counts.entity.escapedForMarkup)</b>: "
      text += "\(words)\(few)</summary>\n"
      text += entries.map(changed).joined() + "</details>\n"
    }
    return text + left(of: list) + "</section>\n"
  }

  private func changed(_ entry: RecordList.Entry) -> String {
    let tone = ["+": "good", "~": "open", "-": "bad"][entry.sign] ?? "quiet"
    let word = ["+": "new", "~": "changed", "-": "removed"][entry.sign] ?? ""
    var text = "<details><summary><span class=\"mark \(tone)\">\(entry.sign) \(word)</span> "
    text += "<code>\(entry.record.escapedForMarkup)</code></summary>\n"
    guard !entry.fields.isEmpty else {
      return text + "<p>Its fields were not read.</p></details>\n"
    }
    let hasBoth = entry.fields.contains { $0.old != nil && $0.new != nil }
    return text
      + table(
        hasBoth ? ["field", "before", "after"] : ["field", "content"],
        entry.fields.map { field in
          let cells = hasBoth ? [cell(field.old), cell(field.new)] : [cell(field.old ?? field.new)]
          return (name: field.name, cells: cells)
        }
      ) + "</details>\n"
  }

  /// A table of fields.
  private func table(_ heading: [String], _ rows: [(name: String, cells: [String])]) -> String {
    var text = "<div class=\"wide\"><table class=\"fields\"><thead><tr>"
    text += heading.map { "<th scope=\"col\">\($0)</th>" }.joined() + "</tr></thead>\n<tbody>\n"
    for row in rows {
      text += "<tr><th scope=\"row\">\(row.name.escapedForMarkup)</th>"
      text += row.cells.joined() + "</tr>\n"
    }
    return text + "</tbody></table></div>"
  }

  private func cell(_ words: String?) -> String {
    words.map { "<td>\($0.escapedForMarkup)</td>" } ?? "<td class=\"quiet\">nothing</td>"
  }

  /// The records that are set apart, each with its faults and its fields.
  var quarantined: String {
    guard let list = RecordList(report, kind: "quarantined"), list.count > 0 else { return "" }
    var text = "<section><h2>Quarantined records</h2>\n<p>\(Figures.count(list.count, "record"))"
    text += " \(list.count == 1 ? "is" : "are") set apart and not sent.</p>\n"
    for entry in list.entries.prefix(Self.recordLimit) {
      text += "<details><summary><b>\(entry.entity.escapedForMarkup)</b> "
      text += "<code>\(entry.record.escapedForMarkup)</code></summary>\n<ul>"
      text += entry.faults.map { "<li>\($0.escapedForMarkup)</li>" }.joined() + "</ul>\n"
      if !entry.fields.isEmpty {
        let rows = entry.fields.map { (name: $0.name, cells: [cell($0.new)]) }
        text += table(["field", "content"], rows)
      }
      text += "</details>\n"
    }
    return text + left(of: list) + "</section>\n"
  }

  private func left(of list: RecordList) -> String {
    let left = list.count - min(list.entries.count, Self.recordLimit)
    return left > 0 ? "<p>… and \(left) more.</p>\n" : ""
  }
}
