import PackageStages
import Records
import StoreFiles
import StoreReading
import UploadPlanning

/// What a store holds and what would become of it: the ground on which a person agrees.
///
/// No value of a record is in it.
public struct DetectedStore: Hashable, Sendable {
  /// What wrote the store: `swiftData`, `coreData`, `coreDataXML`, `sqlite`, `preferences`,
  /// `realm`, `couchbaseLite`, `files` or `container`.
  public let kind: String
  /// The store's own identity.
  public let identity: String
  /// Where the records would go.
  public let destination: String
  /// The kinds of records, parents before children.
  public let entities: [Entity]
  /// The size of the store's files, and of those in which it keeps large values.
  public let storeBytes: Int64
  /// The media files that records name and that are there; one that is named twice counts twice.
  public let mediaCount: Int
  /// The size of those media files together.
  public let mediaBytes: Int64
  /// The media files that records name and that are gone.
  public let missingMediaCount: Int
  /// How many bytes of free space the export is likely to need, media files not counted.
  public let spaceNeeded: Int64
  /// The runs that this store has been through, oldest first.
  public let runs: [KnownRun]

  /// One kind of records.
  public struct Entity: Hashable, Sendable {
    /// The name, as the profile has it.
    public let name: String
    /// How many there are.
    public let count: Int
    /// What would become of them.
    public let fate: Fate
  }

  /// What would become of the records of an entity.
  public enum Fate: Hashable, Sendable {
    /// They are sent.
    case sent
    /// They stay in the package on the device, because they can be computed or are the server's own.
    case keptAsDerived
    /// They stay in the package on the device, because the destination has no place for them.
    case keptForWantOfPlace
  }

  /// How many records would be sent.
  public var sentCount: Int { entities.reduce(0) { $0 + ($1.fate == .sent ? $1.count : 0) } }

  /// The run that was stopped and that the next start goes on with.
  public var unfinishedRun: KnownRun? { runs.last { $0.isUnfinished } }

  /// Writes down that a person agreed to send this store to this destination.
  ///
  /// - Parameter leavingOut: Names of entities that they do not want sent.
  /// - Returns: What ``StoreMigration/start(_:as:)`` asks for.
  public func consent(leavingOut: Set<String> = []) -> Consent {
    Consent(store: identity, destination: destination, leavingOut: leavingOut)
  }
}

extension DetectedStore {
  init(_ preview: MigrationPreview, destination: String, runs: [KnownRun]) {
    kind = preview.identity.kind.description
    identity = preview.identity.uuid
    self.destination = destination
    entities = preview.lines.map { line in
      let fate: Fate =
        switch line.bucket {
        case nil: .sent
        case .unmapped: .keptForWantOfPlace
        default: .keptAsDerived
        }
      return Entity(name: line.entity.text, count: line.rowCount, fate: fate)
    }
    storeBytes = preview.storeBytes
    mediaCount = preview.mediaCount
    mediaBytes = preview.mediaBytes
    missingMediaCount = preview.missingMediaCount
    spaceNeeded = preview.spaceNeeded
    self.runs = runs
  }
}

/// What a person agreed to: which store goes where, and what of it does not.
///
/// An app may keep it, so that it need not ask again after a restart.
public struct Consent: Hashable, Sendable, Codable {
  /// The identity of the store.
  public let store: String
  /// The address it goes to.
  public let destination: String
  /// The entities that are not sent.
  public let leavingOut: Set<String>
}
