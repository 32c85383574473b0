import RequestBodies
import TextCodecs
package import JSONText
import Profiles
package import Records

/// One member of a request's body.
package struct RequestField: Hashable, Sendable {
  package let name: String
  /// The value in canonical JSON.
  package let value: [UInt8]

  package init(name: String, value: [UInt8]) {
    self.name = name
    self.value = value
  }
}

/// The members of a record's requests, in the order of their names; see ``RequestStage``.
package struct RequestFields: Hashable, Sendable {
  package var create: [RequestField] = []
  package var complete: [RequestField] = []
  package var update: [RequestField] = []
  package var whole: [RequestField] = []
  /// The names of those that are missing above, because what they name is not at the destination yet;
  /// see ``OpenReferences``.
  package var open: [String] = []

  mutating func reserveCapacity(_ count: Int) {
    create.reserveCapacity(count)
    update.reserveCapacity(count)
    whole.reserveCapacity(count)
  }
}

/// Which members are wanted.
package enum RequestStage: Hashable, Sendable {
  /// Those of the request that makes the record. Nothing is `null` there.
  case create
  /// Those that the destination only takes once the record is there.
  case complete
  /// All that the record itself says and an update can change, `null` where the record says so; no
  /// placeholders. An update sends those of them that differ.
  case update
  /// The same, with the members that no update can change: what is compared, and what a plan
  /// remembers the digest of.
  case whole
}

/// Why a record cannot be sent as it is.
package enum MappingFault: Error, Hashable, Sendable {
  /// The record it names has no identity at the destination yet.
  case missingReference(member: String, RecordID)
  /// The file it names is not at the destination.
  case missingFile(member: String)
  /// The package has no file for a part of the request.
  case absentFile(member: String)
  /// The destination takes no text of this length.
  case tooLong(member: String, count: Int, limit: Int)
  /// The member's moment is longer ago than the destination takes it in a new record.
  case tooOld(member: String, within: Duration)
  /// The member holds what the rule cannot send: bytes in place of text, an object in a list.
  case unsendable(member: String, found: JSONKind)
  /// The destination would round the number.
  case rounded(member: String)
  /// The member is to name a record, and the package does not say of which entity.
  case unknownTarget(member: String)
  /// Several members together are the identity of what it names, and one value can hold only one.
  case compoundReference(member: String, EntityName)
  /// No one could say whether what it names is at the destination.
  case unanswered(reason: String)

  package var finding: (code: String, cause: String, cure: String) {
    switch self {
    case .missingReference(let member, let record):
      (
        "request.missing-reference", "“\(member)” names \(record), which was not sent",
        "send that record first, or repair the reference"
      )
    case .missingFile(let member):
      (
        "request.missing-file", "“\(member)” names a file that is not at the destination",
        "see why that file was not taken, and run again"
      )
    case .absentFile(let member):
      (
        "request.missing-file", "the package has no file for “\(member)”",
        "export the store where the file is, and run again; the record stays in the package"
      )
    case .tooLong(let member, let count, let limit):
      (
        "request.too-long",
        "“\(member)” has \(count) characters and the destination takes \(limit)",
        "shorten it in the app, or set “when-longer: cut” in the profile"
      )
    case .tooOld(let member, let within):
      (
        "request.too-old",
        "“\(member)” is longer ago than \(within.setting), and the destination takes no older one",
        "it stays in the package; where the destination takes the record without “\(member)”, a "
          + "profile without it in “body” and “natural-key” sends it so"
      )
    case .rounded(let member):
      (
        "request.rounded",
        "“\(member)” is a number that the destination would round: it keeps numbers as doubles",
        "send it as text with “as: text” to a field for text, or list it under “unmapped”"
      )
    case .unsendable(let member, let found):
      (
        "request.unsendable", "“\(member)” is \(found) and cannot be sent so",
        "repair the value in the app"
      )
    case .unknownTarget(let member):
      (
        "request.unsendable", "the package does not say which records “\(member)” names",
        "export the store with this profile, or bring the package up to it with `ferry upgrade`"
      )
    case .compoundReference(let member, let entity):
      (
        "request.unsendable",
        "“\(member)” names a \(entity), which the destination knows by several members together",
        "list “\(member)” under “unmapped”, or give \(entity) an identity of one member"
      )
    case .unanswered(let reason):
      (
        "checkpoint.unreadable", "what it names could not be looked up: \(reason)",
        "repair the checkpoint (`ferry checkpoint repair`), and run the same command again"
      )
    }
  }
}

/// Which references of a record may name another that is not at the destination.
package enum OpenReferences: Sendable {
  case none
  /// Those that are sent once all records are there: what they name may be made later.
  case late
  /// Those that are sent with the record itself: what completes it leaves them as they are.
  case early

  func contain(_ rule: RequestFieldRule) -> Bool {
    switch self {
    case .none: false
    case .late: rule.isDeferredReference
    case .early: !rule.isDeferredReference
    }
  }
}

/// What is answered when the program asks about other records and files.
package struct ReferenceResolver {
  package typealias Reference = (EntityName, _ key: String) throws(MappingFault) -> String?
  package typealias Media = (_ category: String, _ key: String) throws(MappingFault) -> String?

  /// The destination's identity of a record, or `nil` while it has none.
  package let reference: Reference
  /// What a record refers to a file by that was sent, by the file's ``RecordMedia/key(of:)``, or
  /// `nil`.
  package private(set) var media: Media
  /// The record that is asked about.
  package var record: RecordID?
  /// Which members may name a record that is not at the destination: they are left out, and named as open.
  package private(set) var openReferences = OpenReferences.none

  package init(reference: @escaping Reference, media: @escaping Media = { _, _ in nil }) {
    self.reference = reference
    self.media = media
  }

  /// The same, but that a reference of these to a record that is not at the destination is no fault.
  package func leavingOpen(_ references: OpenReferences = .late) -> ReferenceResolver {
    var copy = self
    copy.openReferences = references
    return copy
  }

  /// The same, with each file that is not there was in for: a record that has no link to it differs.
  package var expectingFiles: ReferenceResolver {
    var copy = self
    copy.media = { category, key throws(MappingFault) in
      try media(category, key) ?? Self.placeholder(category, key)
    }
    return copy
  }

  private static func placeholder(_ kind: String, _ key: String) -> String { "\(kind)/\(key)" }

  /// The record of an entity that ``planning`` is in by a text; `nil` for any other text.
  package static func record(of entity: EntityName, placeholderFor text: String) -> RecordID? {
    key(of: "\(entity)", placeholderFor: text).map { RecordID(entity: entity, key: $0) }
  }

  /// The key of a file of a category that ``planning`` is in by a text; `nil` for any other text.
  package static func file(of category: String, placeholderFor text: String) -> String? {
    key(of: category, placeholderFor: text)
  }

  private static func key(of kind: String, placeholderFor text: String) -> String? {
    let start = placeholder(kind, "")
    return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : nil
  }

  /// Is every record in by its own identity and every file by its digest: for planning, where
  /// only a change matters.
  package static var planning: ReferenceResolver {
    ReferenceResolver(
      reference: { entity, key in placeholder("\(entity)", key) },
      media: { category, key in placeholder(category, key) }
    )
  }
}
