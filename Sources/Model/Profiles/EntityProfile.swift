package import Records

/// How the rows of one entity become records.
package struct EntityProfile: Hashable, Sendable {
  /// The member of a record under which an object's own address is kept.
  package static let addressMember = "$id"

  package let name: EntityName
  /// The entity of the store; mostly the same name.
  package internal(set) var storeName: EntityName
  /// Which of the profile's stores the entity is in, or `nil` where its name says enough.
  package let storeLabel: String?
  /// The file name of the JSON Schema that the records obey; `nil` for none.
  package let schema: String?
  package let role: Role
  package let identity: IdentityRule
  package let fields: [FieldProfile]
  package let media: [MediaRule]
  package let carry: Carry
  /// Attributes and relationships that are left out on purpose.
  package let omitted: [String]
  /// What happens where the store's model has no such entity.
  package let absent: FieldProfile.Absence
  /// What becomes of links to records that the store does not have.
  package let dangling: Dangling
  /// What the app itself knew of its records at the server; `nil` where it kept nothing.
  package let sync: SyncRule?
  /// Whom each record belongs to; `nil` where all of them are the user's.
  package let owner: OwnerRule?
  /// How its rows are changes of other records that waited for the server; `nil` where they are not.
  package let queue: QueueRule?
  /// The queue that is all there is of its records; `nil` where the store has rows of them.
  package let waitsIn: EntityName?

  /// Whether records are absent for other reasons than that the user deleted them.
  package var evicts: Bool { sync?.evicts == true || waitsIn != nil }

  /// Whose the records are.
  package enum Role: String, Sendable, CaseIterable {
    /// The user's own: sent.
    case own
    /// Computed from others: exported, not sent.
    case derived
    /// The server's: exported, not sent.
    case server
  }

  /// What becomes of links to records that the store does not have.
  ///
  /// Core Data shows no such link to its app.
  package enum Dangling: String, Sendable, CaseIterable {
    /// They are left out, and counted.
    case omit
    /// They are written as they are, and no fault.
    case keep
    /// They are written as they are, and make their record invalid.
    case refuse
  }

  /// What becomes of attributes and to-one relationships that no field names.
  package enum Carry: String, Sendable, CaseIterable {
    /// They are carried under their own names.
    case all
    /// They are left out.
    case listed
  }
}

/// One member of a record and where in the row it comes from.
package struct FieldProfile: Hashable, Sendable {
  package let member: String
  package let source: Source
  /// What is written where the store's model lacks the source.
  package let absent: Absence
  /// The entity whose records the attribute names by their identity; `nil` where it names none.
  package let names: EntityName?

  /// Where in the row a member comes from.
  package enum Source: Hashable, Sendable {
    case attribute(path: [String], reading: Reading)
    case reference(relationship: String)
    case references(relationship: String)
    case composite(path: [String])
  }

  /// How the value of an attribute is understood.
  package enum Reading: String, Sendable, CaseIterable {
    case plain
    /// The value is UTF-8 JSON, and becomes part of the record.
    case json
    /// The value is the bytes of a keyed archive, and becomes part of the record as JSON.
    case archive
    /// The value is the bytes of a property list, and becomes part of the record as JSON.
    case plist
    /// The value is the 16 bytes of a UUID, and becomes its text.
    case uuid
    /// The value is a date, of which what is finer than a millisecond is cut, and counted.
    case milliseconds
  }

  /// What happens where the store's model lacks the source.
  package enum Absence: String, Sendable, CaseIterable {
    /// The profile does not fit the store.
    case refuse
    case omit
    case null
  }
}

/// A member that names a media file, and where such files lie.
package struct MediaRule: Hashable, Sendable {
  package let member: String
  /// The attribute that holds the file's name, path or address.
  package let path: [String]
  /// The folders in the app's container in which the file may lie, in order.
  package let folders: [String]
  /// The kind the destination knows it by: `avatar`.
  package let category: String
  /// Whether the app may have thrown the file away by design.
  package let isEvictable: Bool
  /// Internet media types by the file name's extension, in lower case.
  package let types: [String: String]
  /// The hosts that a file may be fetched from, `*.` in front for those below; every one of the public
  /// Internet where none is named.
  package let hosts: [String]
  package let absent: FieldProfile.Absence

  /// The Internet media type for a file of this name.
  package func mediaType(ofFileNamed name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
    return types[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
  }
}
