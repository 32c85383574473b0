import JSONText
import ProfileSettings

// Many requests in one.

extension RouteReader {
  /// Reads `create.batch` where it wraps many requests up in one.
  func requests(_ section: Section) -> RequestBatch {
    defer { section.close() }
    return RequestBatch(
      route: fullRoute(section),
      requests: section.requiredText("requests"),
      responses: MemberPath(section.text("responses", else: "responses")),
      limit: section.count("limit", within: 1...10_000, else: 25),
      serverLimit: section.section("limit-from").map { serverLimit($0) },
      parts: requestParts(section.section("names")),
      answerParts: answerParts(section.section("answers")),
      isInOrder: section.flag("in-order", else: false),
      transaction: transaction(section),
      isProbed: section.flag("probe", else: false)
    )
  }

  private func serverLimit(_ section: Section) -> RequestBatch.ServerLimit {
    defer { section.close() }
    return RequestBatch.ServerLimit(
      route: route(section),
      member: MemberPath(section.requiredText("member"))
    )
  }

  private func requestParts(_ section: Section?) -> RequestBatch.RequestParts {
    defer { section?.close() }
    return RequestBatch.RequestParts(
      method: part("method", section),
      path: part("path", section),
      headers: part("headers", section),
      body: part("body", section),
      id: section?.text("id").map { MemberPath($0) }
    )
  }

  private func answerParts(_ section: Section?) -> RequestBatch.AnswerParts {
    let parts = RequestBatch.AnswerParts(
      status: part("status", section),
      path: part("path", section),
      headers: part("headers", section),
      body: part("body", section),
      id: section?.text("id").map { MemberPath($0) },
      success: section?.text("success").map { MemberPath($0) },
      error: section?.text("error").map { MemberPath($0) }
    )
    section?.close()
    if let section, (parts.success == nil) != (parts.error == nil) {
      log.add(
        at: section.node,
        "an answer says by “success” and “error” together what became of its request",
        cure: "give both, or neither"
      )
    }
    return parts
  }

  /// A part under its own name unless the section gives another.
  private func part(_ name: String, _ section: Section?) -> MemberPath {
    MemberPath(section?.text(name, else: name) ?? name)
  }

  private func transaction(_ section: Section) -> RequestBatch.Transaction? {
    let isOne = section.flag("transaction", else: false)
    let failed = section.text("failed").map { MemberPath($0) }
    let reason = path(section, "reason")
    if !isOne, failed != nil {
      log.add(
        at: section.node,
        "“failed” names the request for which a transaction was rolled back, and there is no transaction",
        cure: "add “transaction: true”, or remove “failed”"
      )
    }
    return isOne ? RequestBatch.Transaction(failed: failed, reason: reason) : nil
  }
}
