package import JSONText
package import Records

/// What a package says about itself: `manifest.json`, the last file to be written.
///
/// No clock and no host is in it, and no path but ``Source/path``, so that the same store and
/// profile give the same package.
package struct PackageManifest: Hashable, Sendable {
  package var format: PackageFormat
  package var tool: Tool
  package var source: Source
  package var profile: ProfileMark
  /// How a day was distinguished from an instant, where a day was needed.
  package var dayRule: String?
  package var timeZone: String?
  /// In the order in which they are sent, parents before children.
  package var entities: [Entity]
  /// Data, schemas and rejected records; media files are in `SHA256SUMS` only.
  package var files: [File]
  package var media: Media
  /// The digest of `SHA256SUMS`, and by it of every file.
  package var sums: Digest?
  /// Members that this program does not know, as a newer one wrote them.
  package var unknown: JSONObject

  package init(
    format: PackageFormat = .current,
    tool: Tool,
    source: Source,
    profile: ProfileMark,
    dayRule: String? = nil,
    timeZone: String? = nil,
    entities: [Entity],
    files: [File] = [],
    media: Media = Media(),
    sums: Digest? = nil,
    unknown: JSONObject = [:]
  ) {
    self.format = format
    self.tool = tool
    self.source = source
    self.profile = profile
    self.dayRule = dayRule
    self.timeZone = timeZone
    self.entities = entities
    self.files = files
    self.media = media
    self.sums = sums
    self.unknown = unknown
  }

  /// What the package was made from and by.
  package var binding: PackageBinding {
    PackageBinding(source: source.digest, profile: profile.digest, tool: tool.version)
  }

  /// The entry of an entity, or `nil`.
  package func entity(_ name: EntityName) -> Entity? {
    entities.first { $0.name == name }
  }

  /// The data files of an entity, in order.
  package func dataFiles(of name: EntityName) -> [File] {
    files.filter { $0.entity == name && $0.path.hasPrefix("data/") }
  }
}

/// What a package depends on: with the same three, the same package comes out.
package struct PackageBinding: Hashable, Sendable {
  package let source: Digest
  package let profile: Digest
  /// The version of the program that writes.
  package let tool: String

  package init(source: Digest, profile: Digest, tool: String) {
    self.source = source
    self.profile = profile
    self.tool = tool
  }
}

// MARK: - Parts

extension PackageManifest {
  /// The program that wrote the package.
  package struct Tool: Hashable, Sendable {
    package var name: String
    package var version: String

    package init(name: String = "ferry", version: String) {
      self.name = name
      self.version = version
    }
  }

  /// What was read.
  package struct Source: Hashable, Sendable {
    /// The kind of store: `swiftdata`.
    package var kind: String
    /// The store's own identity, a UUID; of a store without one its schema's digest, or its file's name.
    package var store: String
    /// Where the store was read, for a store without an identity of its own; `nil` for any other.
    package var path: String?
    package var digest: Digest
    /// Where the model came from.
    package var modelOrigin: String
    package var modelVersions: [String]

    package init(
      kind: String,
      store: String,
      path: String? = nil,
      digest: Digest,
      modelOrigin: String,
      modelVersions: [String] = []
    ) {
      self.kind = kind
      self.store = store
      self.path = path
      self.digest = digest
      self.modelOrigin = modelOrigin
      self.modelVersions = modelVersions
    }
  }

  /// The profile that was used.
  package struct ProfileMark: Hashable, Sendable {
    package var app: String
    package var digest: Digest

    package init(app: String, digest: Digest) {
      self.app = app
      self.digest = digest
    }
  }

  /// One entity.
  package struct Entity: Hashable, Sendable {
    package var name: EntityName
    /// The schema's file name, below `schemas/`.
    package var schema: String?
    package var role: String
    /// The record member that holds the key.
    package var key: String
    package var references: [Reference]
    /// What of the store is left out because the profile says so.
    package var omitted: [String]
    package var records: Int64
    package var rejected: Int64
    /// How often each finding came up, by its code; how many media files are in each state.
    package var tallies: [String: Int64]
    package var unknown: JSONObject

    package init(
      name: EntityName,
      schema: String?,
      role: String,
      key: String,
      references: [Reference] = [],
      omitted: [String] = [],
      records: Int64 = 0,
      rejected: Int64 = 0,
      tallies: [String: Int64] = [:],
      unknown: JSONObject = [:]
    ) {
      self.name = name
      self.schema = schema
      self.role = role
      self.key = key
      self.references = references
      self.omitted = omitted
      self.records = records
      self.rejected = rejected
      self.tallies = tallies
      self.unknown = unknown
    }

    /// The tally of what kept rows of the store from being read, which may have been of any entity.
    package static let unreadTally = "store.unread"

    /// Whether each row that the store has of it is a record, as far as anybody knows.
    package var hasEveryRow: Bool { rejected == 0 && tallies[Self.unreadTally] == nil }
  }

  /// A record member that names records of an entity.
  package struct Reference: Hashable, Sendable {
    package var member: String
    /// The entity the records are of; where it has sub-entities these too, behind it.
    package var entities: [EntityName]
    package var isToMany: Bool
    /// For a list, the member of its records that leads from each back to the list's owner; `nil` where none is known.
    package var inverse: String?
    /// Whether it may lead to records that are not in the package.
    package var mayDangle: Bool

    package init(
      member: String,
      entities: [EntityName],
      isToMany: Bool,
      inverse: String? = nil,
      mayDangle: Bool = false
    ) {
      self.member = member
      self.entities = entities
      self.isToMany = isToMany
      self.inverse = inverse
      self.mayDangle = mayDangle
    }

    /// The entities, for a message.
    package var names: String { entities.map(\.text).joined(separator: " or ") }
  }

  /// One file.
  package struct File: Hashable, Sendable {
    /// The path inside the package.
    package var path: String
    package var size: Int64
    package var sha256: Digest
    package var entity: EntityName?
    package var records: Int64?

    package init(
      path: String,
      size: Int64,
      sha256: Digest,
      entity: EntityName? = nil,
      records: Int64? = nil
    ) {
      self.path = path
      self.size = size
      self.sha256 = sha256
      self.entity = entity
      self.records = records
    }
  }

  /// The media files together.
  package struct Media: Hashable, Sendable {
    package var files: Int64
    package var bytes: Int64

    package init(files: Int64 = 0, bytes: Int64 = 0) {
      self.files = files
      self.bytes = bytes
    }
  }
}
