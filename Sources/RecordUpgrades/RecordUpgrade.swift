package import JSONText
package import Records

/// The way of an entity's records from one version of their schema to another.
package struct RecordUpgrade: Hashable, Sendable {
  package let entity: EntityName
  /// The file name of the schema that the records obey now.
  package let from: String
  /// The file name of the schema that they obey afterwards.
  package let to: String
  /// The member that holds the key afterwards; `nil` for the same as before.
  package let key: String?
  /// The members that name other records afterwards; `nil` for the same as before.
  package let references: [DeclaredReference]?
  package let steps: [UpgradeStep]

  /// Changes a record by all steps, and counts those that had something to do.
  package func apply(
    to record: inout JSONObject,
    counting counts: inout [Int64]
  ) throws(UpgradeFault) {
    var changed = record
    var touched: [Int] = []
    for (index, step) in steps.enumerated() where try step.apply(to: &changed) {
      touched.append(index)
    }
    record = changed
    for index in touched { counts[index] += 1 }
  }
}

/// A member that names records of another entity.
package struct DeclaredReference: Hashable, Sendable {
  package let member: String
  package let entity: EntityName
  package let isToMany: Bool
}

/// A file that an older program wrote, which holds the records of several entities.
package struct OlderExport: Hashable, Sendable {
  package let title: String
  /// What distinguishes the file from others: members and their values.
  package let marks: JSONObject
  /// Parents before children.
  package let entities: [Part]
  /// Members that hold no records, and what becomes of them.
  package let leftOut: [Note]

  /// Where the records of one entity are.
  package struct Part: Hashable, Sendable {
    package let entity: EntityName
    /// Names from the outside in; `*` represents every element.
    package let path: [String]
    package let schema: String
    package let key: String
    package let references: [DeclaredReference]
    /// The member that is to name the record around this one, and the member that holds its key.
    package let parent: (member: String, key: String)?

    package static func == (left: Part, right: Part) -> Bool {
      left.entity == right.entity && left.path == right.path && left.schema == right.schema
        && left.key == right.key && left.references == right.references
        && left.parent?.member == right.parent?.member && left.parent?.key == right.parent?.key
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(entity)
      hasher.combine(path)
    }
  }

  /// Something that is left out, and why.
  package struct Note: Hashable, Sendable {
    package let member: String
    package let note: String
  }

  /// Whether the file is one of these.
  package func fits(_ document: JSONDocument) -> Bool {
    guard document.kind(of: document.root) == .object else { return false }
    return marks.members.allSatisfy { mark in
      document.member(of: document.root, named: mark.name).map { document.value(of: $0) }
        == mark.value
    }
  }

  /// Members of the file that nothing is declared about.
  package func unknownMembers(of document: JSONDocument) -> [String] {
    let known = Set(marks.names + leftOut.map(\.member) + entities.compactMap(\.path.first))
    return document.names(of: document.root).filter { !known.contains($0) }
  }

  /// Calls `body` with each record of a part, in order; `nil` represents what is no object.
  package func forEachRecord<Failure: Error>(
    of part: Part,
    in document: JSONDocument,
    _ body: (JSONObject?) throws(Failure) -> Void
  ) throws(Failure) {
    let inner = entities.compactMap { other in
      other.path.count == part.path.count + 2 && other.path.starts(with: part.path + ["*"])
        ? other.path.last : nil
    }
    guard let name = part.path.first,
      let list = document.member(of: document.root, named: name)
    else { return }
    guard part.path.count == 3, let member = part.path.last else {
      try elements(of: list, in: document) { (node) throws(Failure) in
        var record = document.value(of: node).object
        for name in inner { record?[name] = nil }
        try body(record)
      }
      return
    }
    try elements(of: list, in: document) { (around) throws(Failure) in
      guard let list = document.member(of: around, named: member) else { return }
      let key = part.parent.flatMap { parent in
        document.member(of: around, named: parent.key).map { document.value(of: $0) }
      }
      try elements(of: list, in: document) { (node) throws(Failure) in
        var record = document.value(of: node).object
        if let parent = part.parent, let key { record?[parent.member] = key }
        try body(record)
      }
    }
  }

  /// The elements of an array; anything else but null counts as one that is no object.
  private func elements<Failure: Error>(
    of node: JSONNode,
    in document: JSONDocument,
    _ body: (JSONNode) throws(Failure) -> Void
  ) throws(Failure) {
    switch document.kind(of: node) {
    case .array: try document.forEachElement(of: node, body)
    case .null: return
    case .boolean, .number, .string, .object: try body(node)
    }
  }
}

extension JSONDocument {
  /// The names of an object's members; none for any other value.
  fileprivate func names(of node: JSONNode) -> [String] {
    guard kind(of: node) == .object else { return [] }
    var names: [String] = []
    unsafe forEachMember(of: node) { name, _ in
      names.append(unsafe String(decoding: name, as: UTF8.self))
    }
    return names
  }
}
