/// A draft of JSON Schema that is read whole.
package enum SchemaDraft: String, Hashable, Sendable, CaseIterable {
  case draft2020 = "2020-12"
  case draft2019 = "2019-09"
  case draft7 = "07"
  case draft6 = "06"
  case draft4 = "04"

  /// The drafts by which the schemas of packages are written, compared and redacted.
  package static let ofPackages: Set<Self> = [.draft2020, .draft7]

  /// The drafts, for a message.
  package static let names = allCases.map(\.rawValue).joined(separator: ", ")

  var dialect: SchemaDialect {
    switch self {
    case .draft2020: .standard
    case .draft2019: .draft2019
    case .draft7: .draft7
    case .draft6: .draft6
    case .draft4: .draft4
    }
  }

  /// The address of the schema that describes the draft, without a fragment.
  var address: String {
    switch self {
    case .draft2020, .draft2019: "https://json-schema.org/draft/\(rawValue)/schema"
    case .draft7, .draft6, .draft4: "http://json-schema.org/draft-\(rawValue)/schema"
    }
  }

  /// Takes the address that a `$schema` names, by whichever of the two protocols.
  init?(address: String) {
    let plain = { (text: String) in text.split(separator: "://").last }
    guard let found = Self.allCases.first(where: { plain($0.address) == plain(address) }) else {
      return nil
    }
    self = found
  }
}

/// What `format` means to a set of schemas.
package enum FormatMeaning: Hashable, Sendable {
  /// A value that is not in the format is a fault.
  case assert
  /// The format is a remark. Only a dialect that asserts formats itself is heeded.
  case annotate
}

/// What happens to a keyword that its version of JSON Schema does not have.
package enum UnknownKeywordMeaning: Hashable, Sendable {
  /// The schema is refused, with the keyword's place. Names that begin with `x-` are let through.
  case refuse
  /// The keyword is a remark, as the specification has it.
  case ignore
}
