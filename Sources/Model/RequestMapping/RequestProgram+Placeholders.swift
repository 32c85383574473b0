package import JSONText
import Profiles
import RecordMapping
import Records
import RequestBodies

// Values as a plan keeps them, with placeholders for records and files, and as the destination has them.

extension RequestProgram {
  /// A value of a member as the destination has it: the content of for a record or a file is replaced by
  /// its address.
  ///
  /// `isKnown` says whether all addresses are known; a placeholder stays where its own is not.
  package func resolved(
    _ value: JSONValue,
    of name: String,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> (value: JSONValue, isKnown: Bool) {
    guard let rule = api.body.first(where: { $0.name == name }), rule.namesOthers else {
      return (value, true)
    }
    guard let elements = value.array else {
      guard let one = try address(of: value, rule, resolver) else { return (value, false) }
      return (rule.writing.written(one), true)
    }
    var all: [JSONValue] = []
    var isKnown = true
    for element in elements {
      let one = try address(of: element, rule, resolver)
      if one == nil { isKnown = false }
      all.append(one ?? element)
    }
    return (.array(all), isKnown)
  }

  /// Whether a member names records or files.
  func namesOthers(_ name: String) -> Bool {
    api.body.first { $0.name == name }?.namesOthers ?? false
  }

  /// The address of what a text replaces, `nil` where it is not known; any other value as it is.
  private func address(
    of value: JSONValue,
    _ rule: RequestFieldRule,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> JSONValue? {
    guard let text = value.text else { return value }
    switch rule.source {
    case .reference(let member):
      let targets = memberReferences[member]?.targets ?? []
      // Whatever it is of, a record is was in for as one of the first.
      let keys = targets.compactMap { ReferenceResolver.record(of: $0, placeholderFor: text)?.key }
      guard let key = keys.first else { return value }
      return try place(of: key, among: targets, resolver)
    case .media(let member):
      for media in profile.media where media.member == member {
        guard let key = ReferenceResolver.file(of: media.category, placeholderFor: text) else {
          continue
        }
        return try resolver.media(media.category, key).map { .string($0) }
      }
      return value
    case .field, .list, .file, .record, .constant: return value
    }
  }

  /// What the request that makes a record says in a member of which the record says nothing; `nil` for
  /// nothing.
  package func fallback(of name: String) -> JSONValue? {
    guard let rule = api.body.first(where: { $0.name == name }),
      case .field(let field) = rule.source, let fallback = field.fallback, !fallback.isNull
    else { return nil }
    let value = rule.writing.written(fallback)
    return rule.unless == value ? nil : value
  }
}

extension RequestFieldRule {
  /// Whether the member names records or files.
  fileprivate var namesOthers: Bool {
    switch source {
    case .reference, .media: true
    case .field, .list, .file, .record, .constant: false
    }
  }
}
