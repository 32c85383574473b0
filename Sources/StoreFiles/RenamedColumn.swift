package import Records

extension Finding {
  /// A column, property or member that has another name in the records than in the store.
  package static func renamed(
    _ kind: String,
    _ name: String,
    to given: String,
    in entity: EntityName? = nil
  ) -> Finding {
    let reason = name.isEmpty ? "has no name" : "“\(name.prefix(200))” has the name of another"
    return Finding(
      code: "store.column-renamed",
      severity: .note,
      entity: entity,
      cause: "the \(kind) \(reason)",
      cure: "it is called \(given) here"
    )
  }
}
