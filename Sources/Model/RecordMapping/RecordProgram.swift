package import Profiles
package import Records

/// A profile's entity, made ready: which cells of a row are wanted, and how they become a record.
package struct RecordProgram: Hashable, Sendable {
  package let entity: EntityName
  package let profile: EntityProfile
  /// What to ask the store for.
  package let request: RowRequest
  /// The record member that holds the key: `$id`, or the member of the identity attribute.
  package let keyMember: String
  /// The members that name other records.
  package let references: [RecordReference]
  /// The names of all members, by their bytes.
  package let members: [String]
  /// What of the store's entity is in no record, because the profile says so.
  package let omitted: [String]
  let steps: [Step]
  let key: KeyCell

  /// A program that is ready as it is.
  package init(
    entity: EntityName,
    profile: EntityProfile,
    request: RowRequest,
    keyMember: String,
    references: [RecordReference],
    members: [String],
    omitted: [String],
    steps: [Step],
    key: KeyCell
  ) {
    self.entity = entity
    self.profile = profile
    self.request = request
    self.keyMember = keyMember
    self.references = references
    self.members = members
    self.omitted = omitted
    self.steps = steps
    self.key = key
  }

  /// The cells of a row that name media files, each with its rule.
  package var mediaCells: [(cell: Int, rule: MediaRule)] {
    steps.compactMap { step in
      guard case .media(let cell, let rule) = step.content else { return nil }
      return (cell, rule)
    }
  }

  /// One member to write.
  package struct Step: Hashable, Sendable {
    let name: [UInt8]
    let content: Content

    /// A member with its name in UTF-8.
    package init(name: [UInt8], content: Content) {
      self.name = name
      self.content = content
    }
  }

  /// What a member is made of.
  package indirect enum Content: Hashable, Sendable {
    case leaf(Leaf)
    case references(cell: Int)
    case composite(cells: Range<Int>, [Step])
    case media(cell: Int, rule: MediaRule)
    case null
  }

  /// A value and how it is written.
  package struct Leaf: Hashable, Sendable {
    let cell: Int
    let form: ValueForm
    let isRequired: Bool

    /// The value of the cell with this number.
    package init(cell: Int, form: ValueForm, isRequired: Bool) {
      self.cell = cell
      self.form = form
      self.isRequired = isRequired
    }
  }

  /// The cell that holds a row's key.
  package struct KeyCell: Hashable, Sendable {
    let cell: Int
    let form: ValueForm

    /// The key in the cell with this number.
    package init(cell: Int, form: ValueForm) {
      self.cell = cell
      self.form = form
    }
  }
}

/// A record member that names records of another entity.
package struct RecordReference: Hashable, Sendable {
  package let member: String
  /// The entity the records are of; where it has sub-entities these too, behind it.
  package let targets: [EntityName]
  package let isToMany: Bool

  package init(member: String, targets: [EntityName], isToMany: Bool) {
    self.member = member
    self.targets = targets
    self.isToMany = isToMany
  }
}

/// How the values of an attribute are written.
package enum ValueForm: Hashable, Sendable {
  case integer, real, decimal, boolean, date, text, uuid, bytes
  /// A number that names a record, as the text of its key.
  case key
  /// A date that is cut to milliseconds.
  case cutDate
  /// Bytes or text that are JSON themselves.
  case json
  /// The bytes of a keyed archive, and those of a property list.
  case archive, list
  /// A value that the store decoded, or its bytes.
  case transformed
  /// Whatever it is.
  case found

  init(_ kind: StoreAttribute.Kind) {
    self =
      switch kind {
      case .integer16, .integer32, .integer64: .integer
      case .decimal: .decimal
      case .double, .float: .real
      case .boolean: .boolean
      case .date: .date
      case .string, .uri, .objectID: .text
      case .uuid: .uuid
      case .binary: .bytes
      case .transformable: .transformed
      case .composite, .undeclared: .found
      }
  }
}
