import JSONText

extension HTMLReport {
  /// How large the records of each entity and the media files are, where an export stated it.
  var sizes: String {
    guard let export = stages.last(where: { $0.kind == "export" })?.value else { return "" }
    var rows = (export["entities"]?.array ?? []).compactMap { entity -> Row? in
      guard let bytes = entity["bytes"]?.integer, bytes > 0 else { return nil }
      let records = entity["records"]?.integer ?? 0
      return Row(name: entity["entity"]?.text ?? "", count: records, bytes: bytes)
    }
    if let files = export["media"]?["files"]?.integer, files > 0 {
      let bytes = export["media"]?["bytes"]?.integer ?? 0
      rows.append(Row(name: "media files", count: files, bytes: bytes))
    }
    guard !rows.isEmpty else { return "" }
    var text = "<section><h2>Sizes in the package</h2><div class=\"wide\"><table><thead>"
    text += "<tr>"
    for name in ["entity", "number", "size", "on average"] {
      text += "<th scope=\"col\">\(name)</th>"
    }
    text += "</tr></thead>\n<tbody>\n"
    for row in rows {
      text += "<tr><th scope=\"row\">\(row.name.escapedForMarkup)</th><td>\(row.count)</td>"
      text += "<td>\(Figures.bytes(row.bytes))</td>"
      text += "<td>\(Figures.bytes(row.bytes / max(1, row.count)))</td></tr>\n"
    }
    return text + "</tbody></table></div></section>\n"
  }

  private struct Row {
    let name: String
    let count: Int64
    let bytes: Int64
  }
}
