import Profiles

extension RecordMembers {
  /// The members that a program writes.
  init(_ program: RecordProgram) {
    self.init(
      program.profile,
      contents: Dictionary(
        program.steps.map { (String(decoding: $0.name, as: UTF8.self), $0.content.parts) },
        uniquingKeysWith: { first, _ in first }
      )
    )
  }
}

extension RecordProgram.Content {
  /// Which of its parts a setting may name.
  fileprivate var parts: MemberParts {
    switch self {
    case .composite(_, let steps):
      .named(
        steps.map { (name: String(decoding: $0.name, as: UTF8.self), parts: $0.content.parts) }
      )
    case .leaf(let leaf): leaf.form.mayHaveParts ? .any : .whole
    case .references: .whole
    case .media, .null: .any
    }
  }
}

extension ValueForm {
  /// Whether a value may be an object, whose members only the value itself has.
  fileprivate var mayHaveParts: Bool {
    switch self {
    case .json, .archive, .list, .transformed, .found: true
    case .integer, .real, .decimal, .boolean, .date, .text, .uuid, .bytes, .cutDate, .key: false
    }
  }
}
