package import JSONText
package import TextCodecs

/// One member of a request's body and where in the record it comes from.
package struct RequestFieldRule: Hashable, Sendable {
  package let name: String
  package let source: Source
  package let stage: Stage
  /// The member is not sent while it has this value.
  package let unless: JSONValue?
  package let writing: Writing
  /// What the destination calls the records that a reference names; `nil` where nothing says that.
  package let referenceType: String?

  package init(
    name: String,
    source: Source,
    stage: Stage,
    unless: JSONValue?,
    writing: Writing,
    referenceType: String?
  ) {
    self.name = name
    self.source = source
    self.stage = stage
    self.unless = unless
    self.writing = writing
    self.referenceType = referenceType
  }

  /// Whether whatever the record has is sent as it is, in every request.
  package var isVerbatim: Bool {
    guard case .field(let field) = source, field.longest == nil, unless == nil else { return false }
    return hasOwnValues
  }

  /// Whether what is sent is in the words of the record, though not always all of it.
  package var hasOwnValues: Bool {
    guard case .field(let field) = source, writing == .plain else { return false }
    return field.map.isEmpty && field.letters == .kept && field.scale.isEmpty
  }

  /// Whether the member names another record, and is sent once all records are there: the one that it
  /// names may be made later than this one.
  package var isDeferredReference: Bool {
    if case .reference = source { stage == .complete } else { false }
  }

  /// The same field, from another place.
  package func holding(_ source: Source) -> RequestFieldRule {
    RequestFieldRule(
      name: name,
      source: source,
      stage: stage,
      unless: unless,
      writing: writing,
      referenceType: referenceType
    )
  }

  /// How a value that was worked out is written.
  package enum Writing: Hashable, Sendable {
    case plain
    /// Digits, with a fraction or without, are sent as a number.
    case number
    /// Numbers, true and false are sent as text, in their own spelling.
    case text
    /// 0 and 1, and texts that say true or false, are sent as that; nothing else can be.
    case boolean
    /// The same, sent as 1 and 0.
    case bit
    /// A date that names no zone is sent as one in UTC.
    case utc
    /// A date is sent as one in UTC in whole seconds: what is finer is cut.
    case seconds
    /// A date is sent as the whole seconds since 1970: what is finer is cut.
    case epoch
    /// The same in milliseconds.
    case epochMilliseconds
    /// A date is sent as text in this form.
    case date(DatePattern)
    /// Numbers are sent as they are, if a double holds them without rounding.
    case double
    /// Bytes are sent as hexadecimal digits.
    case hex
    /// Bytes are sent in the letters of base64url, without padding.
    case base64URL
    /// Any value is sent as the text of its JSON.
    case json
  }

  /// When the destination takes the member.
  package enum Stage: String, Sendable, CaseIterable {
    /// When the record is made, and whenever it changes.
    case create
    /// Only when the record is made.
    case once
    /// Only by a change of a record that is there.
    case complete
  }

  /// Where a member comes from.
  package enum Source: Hashable, Sendable {
    case field(FieldRule)
    case list(ListRule)
    /// The destination's identity of the record that this record member names.
    case reference(member: String)
    /// The public address of the file that this media member names.
    case media(member: String)
    /// The file itself, as a part of a form.
    case file(FileRule)
    /// The record as a whole.
    case record
    case constant(JSONValue)
  }

  /// One member of the record.
  package struct FieldRule: Hashable, Sendable {
    package let member: MemberPath
    /// Replaces a member that is absent or null.
    package let fallback: JSONValue?
    /// Texts, numbers, true and false, and what is sent for them; texts are matched whatever the case;
    /// others are sent as they are.
    package let map: [String: JSONValue]
    /// How the profile spells the keys of the map, by the key.
    package let spellings: [String: String]
    package let letters: LetterCase
    package let longest: Longest?
    /// What numbers become, in rising order; empty where they stay as they are.
    package let scale: [Step]
    /// How long ago a moment may be for the destination to make a record of it; `nil` for any time.
    package let within: Duration?
  }

  /// A file that a request carries as a part of a form.
  package struct FileRule: Hashable, Sendable {
    /// The media member that names the file, or a member with its bytes in base64.
    package let member: MemberPath
    /// The record's member with the file's name; `nil` for the name that the file has.
    package let name: MemberPath?
    /// The Internet media type of bytes that a member holds.
    package let mediaType: String
  }

  /// One step of a scale that turns numbers into other values.
  package struct Step: Hashable, Sendable {
    /// The step is for numbers below this one; `nil` for all others.
    package let below: Double?
    package let value: JSONValue
  }

  /// Several members of the record as one array, absent ones left out.
  package struct ListRule: Hashable, Sendable {
    package let members: [MemberPath]
    package let isUnique: Bool
    /// Whether empty texts are left out.
    package let skipsBlank: Bool
    package let letters: LetterCase
    package let map: [String: JSONValue]
    /// How the profile spells the keys of the map, by the key.
    package let spellings: [String: String]
  }

  /// What happens to upper and lower case.
  package enum LetterCase: String, Sendable, CaseIterable {
    case kept, lower, upper
  }

  /// The longest text the destination takes, and what happens to a longer one.
  ///
  /// Counted in UTF-16 code units, as most do; of the usual counts it is never the smallest but for
  /// bytes.
  package struct Longest: Hashable, Sendable {
    package let count: Int
    package let answer: Answer

    /// What happens to a longer text.
    package enum Answer: String, Sendable, CaseIterable {
      /// The record is refused before anything is sent.
      case reject
      /// The text is cut, and the loss is reported.
      case cut
    }
  }
}
