import JSONText
import ProfileSettings
import RequestBodies

// Where a destination wants the parts of a record.

extension RouteReader {
  /// Reads `shape`; `id` is where a row has its identity, and `body` names the references.
  func shape(_ section: Section, id: MemberPath, _ body: [RequestFieldRule]) -> RecordShape {
    let shape = RecordShape(
      constants: section.node("constants")?.json.object ?? JSONObject(),
      id: id.names.last ?? "id",
      isIdentified: section.flag("identified", else: true),
      fields: path(section, "fields"),
      beside: section.texts("beside"),
      references: path(section, "references"),
      linkage: path(section, "linkage"),
      identifier: template(section, "identifier") ?? JSONTemplate(.string("{id}")),
      types: types(body)
    )
    section.close()
    check(shape, section, body)
    return shape
  }

  private func types(_ body: [RequestFieldRule]) -> [String: String?] {
    var types: [String: String?] = [:]
    for rule in body {
      guard case .reference = rule.source else { continue }
      types.updateValue(rule.referenceType, forKey: rule.name)
    }
    return types
  }

  private func check(_ shape: RecordShape, _ section: Section, _ body: [RequestFieldRule]) {
    // A text around the identity is read back as well: `/api/folders/{id}`.
    let text = shape.identifier.filled(["id": "i", "type": "t"])?.text
    if shape.identifier.path(to: "id") == nil,
      text == nil || !shape.identifier.names.contains("id")
    {
      log.add(
        at: section.node,
        "“identifier” has no {id}, so that a reference would name no record",
        cure: "write it like { type: \"{type}\", id: \"{id}\" }"
      )
    }
    let known = Set(body.map(\.name))
    for name in shape.beside where !known.contains(name) {
      log.add(
        at: section.node("beside") ?? section.node,
        "“\(name)” is not a member of the body",
        cure: RecordMembers.cure(name, known.sorted(), "name one that is")
      )
    }
    guard shape.identifier.names.contains("type") else { return }
    for (name, type) in shape.types.sorted(by: { $0.key < $1.key }) where type == nil {
      log.add(
        at: section.node,
        "nothing says what the destination calls the records that “\(name)” names",
        cure: "write “\(name): { reference: …, type: … }” in “body”"
      )
    }
  }
}
