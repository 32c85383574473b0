package import JSONText
package import ProfileSettings
package import Records

/// An app, described: what its store holds, how that becomes records, and where they go.
///
/// A profile is a YAML file of format 1. Everything in it is a fact; nothing in it is a program.
package struct Profile: Hashable, Sendable {
  /// The newest format that this program reads.
  package static let format: Int64 = 1

  /// The path it was read from, for messages.
  package let path: String
  /// A short name for files and checkpoints: `infinite-stories`.
  package let app: String
  package let title: String
  package let source: SourceSettings
  /// The stores of a container that belong to the app; empty for all that are found.
  package let stores: [NamedStore]
  /// What the team knows to have no place at the destination.
  package let acceptedUnmapped: [UnmappedName]
  /// The entities, parents before children.
  package let entities: [EntityProfile]
  /// Entities of the store that are left out on purpose.
  package let omittedEntities: [EntityName]
  /// What holds secrets, which stay out of every package.
  package let secrets: SecretRules
  /// Named destinations.
  package let destinations: [NamedDestination]
  /// How the destinations are spoken to; `nil` for a profile that only exports.
  package let api: Api?
  /// Where the store says whose it is; `nil` where it does not.
  package let account: AccountRule?
  /// What becomes of the results of legacy files; `nil` for a profile that says nothing about them.
  package let imports: ImportProfile?
  /// The digest of ``meaning``: comments and the order of settings do not count, that of the entities
  /// does.
  package let digest: Digest
  /// What it says, with short forms written out and defaults filled in, in the order of the file.
  package let meaning: JSONValue
  /// The settings with their lines, for faults that only a store or a package shows.
  package var settings: SettingNode
  /// Whether it only lay beside a store and no one named it: then it may not lead out of the store's folder.
  package var isFound = false

  /// The profile's entry for an entity, or `nil`.
  package func entity(_ name: EntityName) -> EntityProfile? {
    entities.first { $0.name == name }
  }
}

/// Where the app's files lie.
package struct SourceSettings: Hashable, Sendable {
  /// Folders, relative to the store's own, in which the app's container may be; the first that
  /// exists is taken.
  package let containers: [String]
}

/// One of the stores of an app, by a name that the profile gives it.
package struct NamedStore: Hashable, Sendable {
  package let name: String
  /// The path in the container; `*` represents any characters of one folder or file name.
  package let pattern: String
}

/// A destination with a name.
package struct NamedDestination: Hashable, Sendable {
  package let name: String
  package let url: String
}

/// An entity, or one member of its records, that has no place at the destination.
package struct UnmappedName: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let entity: EntityName
  /// The member; `nil` for the records as a whole.
  package let member: String?

  package init(entity: EntityName, member: String?) {
    self.entity = entity
    self.member = member
  }

  package var description: String {
    member.map { "\(entity).\($0)" } ?? entity.text
  }

  package static func < (left: UnmappedName, right: UnmappedName) -> Bool {
    left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
  }
}

extension Profile {
  /// Whether the team has agreed that the destination has no place for something.
  package func accepts(_ entity: EntityName, _ member: String?) -> Bool {
    acceptedUnmapped.contains {
      $0.entity == entity && ($0.member == nil || $0.member == member)
    }
  }

  /// The categories of media files, in the order in which the profile names them.
  package var mediaCategories: [String] {
    entities.flatMap(\.media).map(\.category).reduce(into: []) { categories, category in
      if !categories.contains(category) { categories.append(category) }
    }
  }
}

extension Profile {
  /// Whether files of a category are sent, and to where another profile sends them.
  package func sendsFiles(of category: EntityName, asIn other: Profile) -> Bool {
    guard api?.sendsFiles == true, mediaCategories.contains(where: { .media($0) == category })
    else { return false }
    return placeOfFiles == other.placeOfFiles
  }

  /// Where files lie, as far as the profile and not the destination says it.
  private var placeOfFiles: [String] {
    guard case .bucket(let bucket) = api?.media?.way else { return [] }
    return [bucket.endpoint, bucket.name, bucket.key]
  }
}
