import Profiles
import Records

extension RecordProgramBuilder {
  func property(at path: [String]) -> StoreAttribute? {
    if let whole = attribute(named: path) { return whole }
    guard let first = path.first, var found = stored[first] else { return nil }
    for name in path.dropFirst() {
      guard case .composite(let parts, _) = found.kind,
        let next = parts.first(where: { $0.name == name && !$0.isTransient })
      else { return nil }
      found = next
    }
    return found
  }

  /// The leaf that a path leads to; an enumeration with one part is that part.
  func leaf(at path: [String]) -> (path: [String], attribute: StoreAttribute)? {
    guard let found = property(at: path) else { return nil }
    let path = attribute(named: path).map { [$0.name] } ?? path
    guard case .composite(let parts, let isEnumeration) = found.kind else { return (path, found) }
    guard isEnumeration, parts.count == 1, let part = parts.first else { return nil }
    if case .composite = part.kind { return nil }
    let attribute = StoreAttribute(
      name: part.name,
      kind: part.kind,
      isOptional: found.isOptional
    )
    return (path + [part.name], attribute)
  }

  /// The attribute that has the whole path as its name: keys of preferences have points in them.
  func attribute(named path: [String]) -> StoreAttribute? {
    guard path.count > 1 else { return nil }
    let name = path.joined(separator: ".")
    return stored[name]
  }

  /// Notes that a member was made from what a path leads to.
  mutating func markNamed(_ path: [String]) {
    let path = attribute(named: path).map { [$0.name] } ?? path
    named.insert(path[0])
    namedPaths.insert(path)
  }

  /// What of an attribute no member was made from: nothing, the whole of it, or some of its parts.
  func unnamed(_ attribute: StoreAttribute, at path: [String]) -> [String] {
    if namedPaths.contains(path) { return omittedParts(of: attribute, at: path) }
    guard case .composite(let parts, _) = attribute.kind,
      namedPaths.contains(where: { $0.starts(with: path) })
    else { return [path.joined(separator: ".")] }
    return parts.filter { !$0.isTransient }.flatMap { unnamed($0, at: path + [$0.name]) }
  }

  mutating func carryTheRest() {
    for attribute in store.attributes where isFree(attribute.name) && !attribute.isTransient {
      let path = [attribute.name]
      if isGone(attribute, at: path) { continue }
      if leaf(at: path) != nil {
        if let content = self.attribute(path, .plain, member: attribute.name) {
          add(attribute.name, content)
        }
      } else if let content = composite(path, member: attribute.name) {
        add(attribute.name, content)
      }
    }
    for relationship in store.relationships
    where isFree(relationship.name) && isOwnSide(relationship) {
      named.insert(relationship.name)
      add(relationship.name, content(of: relationship, member: relationship.name))
    }
  }

  func isFree(_ name: String) -> Bool {
    !named.contains(name) && !profile.omitted.contains(name)
      && !secrets.holds(name, of: store, by: profile)
  }

  /// Whether the relationship would be lost if this side did not write it down.
  ///
  /// A to-many side is lost only where the other side does not name its one record.
  private func isOwnSide(_ relationship: StoreRelationship) -> Bool {
    guard relationship.isToMany, !relationship.isOrdered, let inverse = relationship.inverse else {
      return true
    }
    let other = model.entity(named: relationship.destination)?.relationships
      .first { $0.name == inverse }
    return other?.isToMany ?? true
  }

  /// A secret gets into a record by no field; a profile that wants it there has to say that it is not one.
  func checkSecrets() {
    for name in named.sorted() where secrets.holds(name, of: store, by: profile) {
      fault(
        "“\(name)” holds a secret, by its name or as “secrets” says",
        cure: "take the field out, or list “\(name)” under “secrets: { except: […] }”"
      )
    }
  }

  mutating func addIdentity() {
    switch profile.identity {
    case .objectURI:
      let cell = request(.objectURI)
      let leaf = RecordProgram.Leaf(cell: cell, form: .text, isRequired: true)
      add(EntityProfile.addressMember, .leaf(leaf))
      keyMember = EntityProfile.addressMember
      keyLeaf = RecordProgram.KeyCell(cell: cell, form: .text)
    case .attribute(let name):
      if keyLeaf == nil {
        fault(
          at: "/identity",
          "no field holds the identity “\(name)”",
          cure: RecordMembers.cure(
            name,
            stored.keys.sorted(),
            "give a field the attribute “\(name)”, and do not omit it"
          )
        )
      }
    }
  }
}

// MARK: - What is left out on purpose

extension RecordProgramBuilder {
  /// Whether the profile leaves out an attribute, or a part of a composite: `place.town`.
  private func isOmitted(_ path: [String]) -> Bool {
    profile.omitted.contains(path.joined(separator: "."))
  }

  /// Whether an attribute is left out itself, or all its parts are.
  func isGone(_ attribute: StoreAttribute, at path: [String]) -> Bool {
    if isOmitted(path) { return true }
    guard case .composite(let all, _) = attribute.kind else { return false }
    let parts = all.filter { !$0.isTransient }
    return !parts.isEmpty && parts.allSatisfy { isGone($0, at: path + [$0.name]) }
  }

  /// The parts that are left out of a composite that a member holds.
  private func omittedParts(of attribute: StoreAttribute, at path: [String]) -> [String] {
    guard case .composite(let parts, _) = attribute.kind else { return [] }
    return parts.filter { !$0.isTransient }.flatMap { part in
      let place = path + [part.name]
      return isOmitted(place) ? [place.joined(separator: ".")] : omittedParts(of: part, at: place)
    }
  }

  func checkOmitted() {
    for name in profile.omitted {
      let path = FieldProfile.path(name)
      if named.contains(name) || namedPaths.contains(where: { $0.starts(with: path) }) {
        fault(at: "/omit", "“\(name)” is omitted and also a field", cure: "take it out of “omit”")
      } else if let whole = wholeValue(on: path), stored[name] == nil {
        fault(
          "“\(name)” is omitted, but “\(whole)” is one value, of which nothing can be left out",
          cure: "omit the whole of “\(whole)”, or take “\(name)” out of “omit”"
        )
      }
    }
    for path in namedPaths.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard !isOmitted(path), let found = property(at: path), isGone(found, at: path) else {
        continue
      }
      let name = path.joined(separator: ".")
      fault("all of “\(name)” is omitted, and it is also a field", cure: "take the field out")
    }
  }

  /// The value on a way that would go out with all that is in it: it has contents, and no parts that the
  /// model knows of.
  ///
  /// A key of preferences may have points in it, and be on a way that leads through nothing else.
  private func wholeValue(on path: [String]) -> String? {
    guard path.count > 1 else { return nil }
    var isLeftOut = false
    for count in 1..<path.count {
      let place = Array(path.prefix(count))
      let key = attribute(named: place)
      guard let found = key ?? (isLeftOut ? nil : property(at: place)) else { continue }
      if isOmitted(place) {
        isLeftOut = true
      } else if hasContents(found, at: place), isCarried(key?.name ?? place[0]) {
        return place.joined(separator: ".")
      }
    }
    return nil
  }

  private func hasContents(_ attribute: StoreAttribute, at path: [String]) -> Bool {
    switch attribute.kind {
    case .transformable, .binary: true
    case .string, .undeclared:
      profile.fields.contains { $0.source == .attribute(path: path, reading: .json) }
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date, .uuid,
      .uri, .objectID, .composite:
      false
    }
  }

  /// Whether any member holds an attribute, or will.
  private func isCarried(_ name: String) -> Bool {
    named.contains(name) || (profile.carry == .all && isFree(name))
  }
}
