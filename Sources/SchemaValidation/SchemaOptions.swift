/// Which version of JSON Schema a schema is written in that does not say so itself (`$schema`).
package enum SchemaDraft: String, Hashable, Sendable, CaseIterable {
  case draft2020 = "2020-12"
  case draft7 = "07"

  var dialect: SchemaDialect {
    switch self {
    case .draft2020: .standard
    case .draft7: .draft7
    }
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
