import JSONText

// Settings laid over each other.

extension SettingNode {
  /// The value called `name`; `nil` where it is absent, and in anything but a section.
  package subscript(name: String) -> SettingNode? { members.first { $0.name == name }?.value }

  /// The names and values of a section; none of anything else.
  package var members: [Member] {
    guard case .section(let members) = value else { return [] }
    return members
  }

  /// Whether it is `null`.
  package var isNothing: Bool {
    if case .scalar(.null) = value { true } else { false }
  }

  /// Another value in the same place.
  package func holding(_ value: Value) -> SettingNode {
    SettingNode(value: value, file: file, line: line, pointer: pointer)
  }

  /// The same value, on another line of its file.
  package func at(line: Int) -> SettingNode {
    SettingNode(value: value, file: file, line: line, pointer: pointer)
  }

  /// This value laid over another one.
  ///
  /// Sections merge by their names, everything else replaces, and `null` removes. What comes out is in
  /// the place of the upper value, and each value inside in its own.
  package func laid(over lower: SettingNode?) -> SettingNode {
    guard let lower, case .section(let upper) = value, case .section(var merged) = lower.value
    else { return self }
    for member in upper {
      guard let place = merged.firstIndex(where: { $0.name == member.name }) else {
        merged.append(member)
        continue
      }
      if member.value.isNothing {
        merged.remove(at: place)
      } else {
        let value = member.value.laid(over: merged[place].value)
        merged[place] = Member(name: member.name, line: member.line, value: value)
      }
    }
    return holding(.section(merged))
  }

  /// The section with another value under a name, in the place of the one that is there; `nil` removes it.
  package func setting(_ name: String, to value: SettingNode?) -> SettingNode {
    var members = members
    let place = members.firstIndex { $0.name == name }
    switch (place, value) {
    case (let place?, let value?):
      members[place] = Member(name: name, line: members[place].line, value: value)
    case (nil, let value?): members.append(Member(name: name, line: value.line, value: value))
    case (let place?, nil): members.remove(at: place)
    case (nil, nil): break
    }
    return holding(.section(members))
  }

  /// The same at another place of the profile, with everything inside.
  package func placed(at pointer: String) -> SettingNode {
    let placed: Value =
      switch value {
      case .scalar: value
      case .list(let elements):
        .list(elements.enumerated().map { $1.placed(at: "\(pointer)/\($0)") })
      case .section(let members):
        .section(
          members.map { member in
            let place = "\(pointer)/\(JSONPointer.escaped(member.name))"
            return Member(
              name: member.name,
              line: member.line,
              value: member.value.placed(at: place)
            )
          }
        )
      }
    return SettingNode(value: placed, file: file, line: line, pointer: pointer)
  }
}

extension SettingNode {
  /// The nearest setting on the way to a JSON Pointer, under the whole of that pointer.
  package func nearest(to pointer: String) -> SettingNode {
    var node = self
    for token in JSONPointer(pointer)?.tokens ?? [] {
      guard let next = node.child(token) else { break }
      node = next
    }
    return SettingNode(value: node.value, file: node.file, line: node.line, pointer: pointer)
  }

  private func child(_ token: String) -> SettingNode? {
    switch value {
    case .section: return self[token]
    case .list(let elements):
      guard let index = JSONPointer.index(token), elements.indices.contains(index) else {
        return nil
      }
      return elements[index]
    case .scalar: return nil
    }
  }
}
