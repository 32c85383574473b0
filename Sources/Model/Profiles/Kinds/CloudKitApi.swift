package import JSONText
package import ProfileSettings
package import Records
import RequestBodies
package import Retrying

/// A database of CloudKit Web Services: which container, which environment, which zone.
package struct CloudKitApi: ApiKind {
  package static let name = "cloudkit"

  /// The container's identifier: `iCloud.com.example.app`.
  package let container: String
  package let environment: Environment
  package let database: Database
  /// The zone of the records; only the private database has others than the default one.
  package let zone: String
  /// Whether a zone that is not there may be made.
  package let makesZone: Bool
  /// The most operations of one request.
  package let batchLimit: Int

  /// The most operations of one request that CloudKit takes.
  package static let largestBatch = 200
  /// The most requests a second.
  package static let largestRate = 40.0
  package static let defaultZone = "_defaultZone"

  package enum Environment: String, Sendable, CaseIterable {
    case development, production
  }

  /// Whose records: everybody's, opened with a server-to-server key, or one user's, opened with
  /// a web token.
  package enum Database: String, Sendable, CaseIterable {
    case `public`, `private`
  }

  /// Whether the records' zone says what changed in it, which only custom zones do.
  package var listsChanges: Bool { database == .private && zone != Self.defaultZone }

  /// Where its records are, as an account is named in it.
  package var place: String { "\(container), \(environment.rawValue), \(database.rawValue)" }

  package static func read(_ section: Section, reader: RouteReader) -> CloudKitApi {
    let database: Database = section.choice("database", else: .private)
    let zone = section.text("zone", else: defaultZone)
    if database == .public, zone != defaultZone {
      section.log.add(
        at: section.node("zone") ?? section.node,
        "the public database has no zone “\(zone)”",
        cure: "remove “zone”, or use the private database"
      )
    }
    return CloudKitApi(
      container: section.requiredText("container"),
      environment: section.choice("environment", else: .development),
      database: database,
      zone: zone,
      makesZone: section.flag("create-zone", else: false),
      batchLimit: section.count("batch", within: 1...largestBatch, else: largestBatch)
    )
  }

  package func entity(
    _ section: Section,
    named name: EntityName,
    hasRoutes: Bool,
    reader: RouteReader
  ) -> (any EntityKind)? {
    CloudRecordType.read(section)
  }

  package func credentials(_ section: Section) -> [String]? { credentials }

  /// The names of the credentials that open the database.
  package var credentials: [String] {
    switch database {
    case .public: ["key-id", "private-key"]
    case .private: ["api-token", "web-token"]
    }
  }

  package var saysAccount: Bool { true }

  /// The user's record name in what an account is called.
  package func user(inAccount account: String) -> String {
    let end = " in \(place)"
    return account.hasSuffix(end) ? String(account.dropLast(end.count)) : account
  }

  package var mediaWay: MediaApi.Way? { .assets }

  package var capabilities: [PresetSummary.Capability: Bool] {
    [.bulk: true, .changes: listsChanges, .files: true, .revisions: true]
  }

  /// 2, 4 and 8 seconds, as CloudKit's clients wait.
  package var retry: RetryPolicy? { RetryPolicy(first: .seconds(2), longest: .seconds(8)) }

  package func rate(_ chosen: Double?) -> Double? {
    min(chosen ?? Self.largestRate, Self.largestRate)
  }
}

/// What CloudKit says of an asset: that bytes came for a field of a record, and what they are.
package struct CloudAsset: Hashable, Sendable {
  /// The whole of it, as `records/modify` wants it for the field's value.
  package let dictionary: JSONObject
  package let checksum: String
  package let size: Int64

  /// Takes a dictionary that names a file by its checksum and size.
  package init?(_ value: JSONValue) {
    guard let object = value.object, let checksum = object["fileChecksum"]?.text,
      let size = object["size"]?.integer ?? object["size"]?.text.flatMap({ Int64($0) })
    else { return nil }
    dictionary = object
    self.checksum = checksum
    self.size = size
  }

  /// Takes it from its text.
  package init?(text: String) {
    guard
      case .success(let value) = Result(catching: { () throws(JSONError) in
        try JSONValue(parsing: text)
      })
    else { return nil }
    self.init(value)
  }

  /// What makes a record take the bytes; `nil` for an asset that some record has already.
  package var receipt: String? { dictionary["receipt"]?.text }

  /// The text that a body holds for it, with a receipt where there is one.
  package var text: String { JSONValue.object(dictionary).canonicalText }

  /// What is the same of it wherever it is mentioned.
  package var mention: CloudAsset? {
    CloudAsset([
      "fileChecksum": .string(checksum), "size": .number(JSONNumber(size)),
    ])
  }
}

/// The record type of an entity, and the types of its fields.
package struct CloudRecordType: EntityKind {
  package let name: String
  /// By the member of the body.
  package let fields: [String: Field]

  /// What a field holds, and how that looks in the body.
  package enum Field: String, Sendable, CaseIterable {
    case string, int64, double, bytes, location, reference
    /// A media file of the record's, as the asset that it became.
    case asset
    /// A truth value, as 1 or 0.
    case boolean
    /// RFC 3339 text, as milliseconds since 1970; what is finer is cut.
    case timestamp
    /// Any JSON, as its text.
    case json
    case strings = "string-list"
    case int64s = "int64-list"
    case doubles = "double-list"
    case references = "reference-list"
  }

  /// How fields are compared that come back in another form.
  package var comparisons: [String: EntityApi.Comparison] {
    fields.compactMapValues { kind in
      let rule: EntityApi.Comparison.Rule? =
        switch kind {
        case .timestamp: .instant
        case .asset: .asset
        // A list that is empty shows no type, and need not be kept.
        case .strings, .int64s, .doubles, .references: .blank
        case .string, .int64, .double, .bytes, .location, .reference, .boolean, .json: nil
        }
      return rule.map { EntityApi.Comparison([$0]) }
    }
  }

  package var typedFields: [String]? { fields.keys.sorted() }

  /// Every member that is sent has a type, and every type belongs to one.
  package func faults(
    of entity: EntityApi
  ) -> [(setting: String, cause: String, cure: String)] {
    let untyped = Set(entity.body.map(\.name)).subtracting(fields.keys).sorted()
    let mistyped = entity.body.compactMap { rule -> (String, String, String)? in
      guard let type = fields[rule.name] else { return nil }
      let isFile = if case .media = rule.source { true } else { false }
      guard isFile != (type == .asset) else { return nil }
      return (
        "types/\(rule.name)",
        isFile ? "“\(rule.name)” is a media file" : "“\(rule.name)” is not a media file",
        isFile ? "write “\(rule.name): asset”" : "write “\(rule.name): { media: … }” in “body”"
      )
    }
    return untyped.map { ("types", "“\($0)” has no type", "state what the field holds") } + mistyped
  }

  /// Reads `record-type` and `types`; the type is the entity's own name unless given.
  fileprivate static func read(_ section: Section) -> CloudRecordType {
    var fields: [String: Field] = [:]
    if let types = section.section("types") {
      for member in types.all() {
        fields[member.name] = types.choice(member.name, else: Field.string)
      }
    }
    return CloudRecordType(name: section.requiredText("record-type"), fields: fields)
  }
}

extension EntityApi {
  /// Which records these are in CloudKit; `nil` elsewhere.
  package var recordType: CloudRecordType? { ofKind.settings as? CloudRecordType }
}
