package import JSONText

extension EntityProfile {
  /// The path of the attribute, or the name of the relationship, that a member of the record comes from;
  /// `nil` where it is only a part of a value, a file, or an address.
  package func attribute(of member: MemberPath) -> String? {
    guard let name = member.names.first, name != Self.addressMember,
      !media.contains(where: { $0.member == name })
    else { return nil }
    let rest = Array(member.names.dropFirst())
    guard let field = fields.first(where: { $0.member == name }) else {
      return carry == .all && rest.isEmpty ? name : nil
    }
    switch field.source {
    case .attribute(let path, _): return rest.isEmpty ? path.joined(separator: ".") : nil
    case .composite(let path):
      return rest.isEmpty ? nil : (path + rest).joined(separator: ".")
    case .reference(let relationship), .references(let relationship):
      return rest.isEmpty ? relationship : nil
    }
  }

  /// The member of the record that comes from an attribute or a relationship: the inverse of
  /// ``attribute(of:)``.
  package func member(ofAttribute name: String) -> MemberPath? {
    for field in fields {
      switch field.source {
      case .attribute(let path, _) where path.joined(separator: ".") == name:
        return MemberPath(names: [field.member])
      case .reference(let relationship) where relationship == name,
        .references(let relationship) where relationship == name:
        return MemberPath(names: [field.member])
      case .composite(let path):
        let start = path.joined(separator: ".") + "."
        if name.hasPrefix(start) {
          return MemberPath(names: [field.member] + Self.path(name.dropFirst(start.count)))
        }
      case .attribute, .reference, .references: break
      }
    }
    return carry == .all ? MemberPath(names: [name]) : nil
  }

  private static func path(_ text: Substring) -> [String] {
    text.split(separator: ".").map(String.init)
  }

  /// How the attribute of this name is understood.
  package func reading(ofAttribute name: String) -> FieldProfile.Reading {
    for field in fields {
      if case .attribute(let path, let reading) = field.source,
        path.joined(separator: ".") == name
      {
        return reading
      }
    }
    return .plain
  }
}
