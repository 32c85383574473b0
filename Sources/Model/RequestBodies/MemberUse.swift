package import JSONText

/// One setting that names a member of a record.
package struct MemberUse {
  /// The setting, below that of the entity: `body/title`.
  package let setting: String
  package let path: MemberPath
  /// Whether the member has to be a media file.
  package var isMedia = false

  package init(_ setting: String, _ path: MemberPath, isMedia: Bool = false) {
    self.setting = setting
    self.path = path
    self.isMedia = isMedia
  }

  package init(_ setting: String, _ member: String) {
    self.init(setting, MemberPath(names: [member]))
  }
}

extension RequestFieldRule {
  /// The members of the record that the rule reads; none for the whole record and for a constant.
  package var uses: [MemberUse] {
    let setting = "body/\(JSONPointer.escaped(name))"
    return switch source {
    case .field(let field): [MemberUse(setting, field.member)]
    case .list(let list): list.members.map { MemberUse(setting, $0) }
    case .reference(let member): [MemberUse(setting, member)]
    case .media(let member):
      [MemberUse(setting, MemberPath(names: [member]), isMedia: true)]
    case .file(let file):
      [MemberUse(setting, file.member)] + (file.name.map { [MemberUse(setting, $0)] } ?? [])
    case .record, .constant: []
    }
  }
}
