import JSONText
import ProfileSettings

// Many writes in one request, and many records read by one.

extension RouteReader {
  /// Reads `create.batch` where its requests hold writes.
  func writes(_ section: Section, route: Route, exists: ExistsSign?) -> WriteBatch {
    let batch = WriteBatch(
      route: route,
      writes: section.requiredText("writes"),
      write: template(section, "write") ?? JSONTemplate(.null),
      results: section.text("results").map { MemberPath($0) },
      id: section.text("id").map { MemberPath($0) },
      version: section.text("version").map { MemberPath($0) },
      error: section.text("error").map { MemberPath($0) },
      limit: section.count("limit", within: 1...10_000, else: 100),
      exists: exists
    )
    _ = section.requiredNode("write")
    section.close()
    let ofResults = [("id", batch.id), ("version", batch.version), ("error", batch.error)]
    for (name, place) in ofResults where place != nil && batch.results == nil {
      log.add(
        at: section.node,
        "“\(name)” is what a result has, and nothing says where the answer has results",
        cure: "add “results”, or remove this"
      )
    }
    return batch
  }

  /// JSON with names in braces, or `nil` where the section has none.
  func template(_ section: Section, _ name: String) -> JSONTemplate? {
    section.node(name).map { JSONTemplate($0.json) }
  }

  /// Reads `read.many` where it is a request of its own.
  func lookup(_ section: Section) -> RecordLookup {
    defer { section.close() }
    return RecordLookup(
      route: fullRoute(section),
      names: section.requiredText("names"),
      each: template(section, "each") ?? JSONTemplate(.string("{id}")),
      results: path(section, "results"),
      found: path(section, "found"),
      missing: section.texts("missing").map { MemberPath($0) },
      limit: section.count("limit", within: 1...1_000, else: 50)
    )
  }
}
