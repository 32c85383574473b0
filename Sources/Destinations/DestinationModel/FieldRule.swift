import JSONText
import Patterns
package import Profiles
import TextCodecs

/// Which texts a destination takes in a field, as far as it says so.
package struct FieldRule: Hashable, Sendable {
  package var form: Form
  /// What a text has to match somewhere.
  package var pattern: String?
  /// How many characters a text may have.
  package var lengths: ClosedRange<Int>

  /// What the destination keeps.
  package enum Form: Hashable, Sendable {
    case text, uuid, number
    /// What it makes itself, whatever is sent.
    case own
    /// What it names in its answers alone: whether a new record may have it is not said.
    case answered
  }

  package init(
    _ form: Form = .text,
    pattern: String? = nil,
    lengths: ClosedRange<Int> = 0...Int.max
  ) {
    self.form = form
    self.pattern = pattern.flatMap { $0.isEmpty ? nil : $0 }
    self.lengths = lengths
  }

  /// The lengths between two limits, each of which may be absent; a longest one below 1 is no limit.
  package static func lengths(from shortest: Int64?, to longest: Int64?) -> ClosedRange<Int> {
    let least = max(0, shortest.map { Int(clamping: $0) } ?? 0)
    let most = longest.flatMap { $0 > 0 ? Int(clamping: $0) : nil } ?? Int.max
    return least...max(least, most)
  }

  /// What the field takes, where a text is not of that: “only UUIDs”; `nil` where nothing is known against it.
  ///
  /// A pattern that ECMA-262 does not know says nothing.
  package func refusal(of text: String) -> String? {
    switch form {
    case .own: return "only what the destination makes itself"
    case .uuid where !UUIDText.isUUID(text.utf8): return "only UUIDs"
    case .number where Int64(text) == nil: return "only numbers"
    case .text, .uuid, .number, .answered: break
    }
    guard lengths.contains(text.count) else { return lengthWords }
    guard let pattern, (try? Pattern(pattern).matches(text)) == false else { return nil }
    return patternWords
  }

  /// All that the field takes, in words; `nil` where it takes any text.
  package var words: String? {
    let form: String? =
      switch self.form {
      case .text, .answered: nil
      case .uuid: "only UUIDs"
      case .number: "only numbers"
      case .own: "only what the destination makes itself"
      }
    return form ?? (pattern == nil ? nil : patternWords) ?? (isOpen ? nil : lengthWords)
  }

  private var isOpen: Bool { lengths == 0...Int.max }

  private var patternWords: String { "only texts that match \(pattern ?? "")" }

  private var lengthWords: String {
    let (least, most) = (lengths.lowerBound, lengths.upperBound)
    if least == most { return "only texts of \(least) characters" }
    if most == Int.max { return "only texts of \(least) characters or more" }
    return "only texts of \(least) to \(most) characters"
  }
}

// MARK: - JSON Schema

extension FieldRule {
  /// What a JSON Schema says of texts, as OpenAPI and PostgREST have it, without what it refers to.
  init(ofSchema schema: JSONValue) {
    let types = schema["type"]?.array ?? schema["type"].map { [$0] } ?? []
    let names = Set(types.compactMap(\.text)).subtracting(["null"])
    guard names == ["string"] else {
      let isNumber = !names.isEmpty && names.isSubset(of: ["integer", "number"])
      self.init(isNumber ? .number : .text)
      return
    }
    // RFC 4122 has the format, and databases give the name of the type.
    self.init(
      schema["format"]?.text?.lowercased() == "uuid" ? .uuid : .text,
      pattern: schema["pattern"]?.text,
      lengths: Self.lengths(from: schema["minLength"]?.integer, to: schema["maxLength"]?.integer)
    )
  }
}

extension FieldRule {
  /// The rule of a kind that a profile names; `nil` for one that says nothing of texts.
  init?(of kind: SchemaListing.Kind) {
    switch kind {
    case .number: self.init(.number)
    case .uuid: self.init(.uuid)
    case .boolean, .relation, .file, .moment: return nil
    }
  }
}

// MARK: - Identities that are made

extension FieldRule {
  /// An identity of a form that the field refuses, and what it takes; `nil` for keys of the store, which nothing is
  /// known of.
  package func refusal(of form: Api.ClientID) -> (sample: String, words: String)? {
    form.samples.lazy.compactMap { sample in refusal(of: sample).map { (sample, $0) } }.first
  }

  /// A form of identities that fields of these rules take; `nil` where none is.
  package static func takenForm(by rules: [FieldRule]) -> Api.ClientID? {
    let lengths = rules.flatMap { [$0.lengths.upperBound, $0.lengths.lowerBound] }
    let digests = lengths.flatMap { length in
      Api.Alphabet.allCases.compactMap { alphabet in
        alphabet.lengths.contains(length) ? Api.ClientID.digest(alphabet, length: length) : nil
      }
    }
    return ([.uuid, .digest(.hex, length: 32)] + digests).first { form in
      rules.allSatisfy { $0.refusal(of: form) == nil }
    }
  }
}

extension RemoteSchema.Collection {
  /// What the destination takes as the identity of an entity's records; `nil` where it is not Ferry that makes them, or
  /// where nothing is said of the field.
  package func identityRule(of entity: EntityApi) -> FieldRule? {
    guard entity.replay == .id, !entity.isCompound, let name = entity.id.names.last,
      let rule = field(named: name)?.rule
    else { return nil }
    // An identity in the address is taken from there, also where the destination fills the field.
    return [.own, .answered].contains(rule.form) && entity.create?.route.names("id") != false
      ? nil : rule
  }
}
