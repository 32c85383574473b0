/// What `format` means to a set of schemas.
package enum FormatMeaning: Hashable, Sendable {
  /// A value that is not in the format is a fault.
  case assert
  /// The format is a remark. Only a dialect that asserts formats itself is heeded.
  case annotate
}

/// What happens to a keyword that JSON Schema 2020-12 does not have.
package enum UnknownKeywordMeaning: Hashable, Sendable {
  /// The schema is refused, with the keyword's place. Names that begin with `x-` are let through.
  case refuse
  /// The keyword is a remark, as the specification has it.
  case ignore
}
