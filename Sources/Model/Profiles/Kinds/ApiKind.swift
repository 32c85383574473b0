package import ProfileSettings
package import Records
package import Retrying

/// What a profile says for one kind of destination, and all that Ferry knows of the kind before it is opened.
///
/// A new kind is a file with one of these, a line in ``Api/Kind/all``, and the destination that
/// `DestinationKinds` opens. What most kinds have in common is written below, once.
package protocol ApiKind: Hashable, Sendable {
  /// As a profile names it.
  static var name: String { get }

  /// Reads what an `api` section has for this kind alone.
  static func read(_ section: Section, reader: RouteReader) -> Self

  /// Whether every entity has routes of its own, and values that are written as the profile says.
  static var hasRoutes: Bool { get }

  /// Whether an entity has routes of its own, by what its section says.
  func hasRoutes(_ section: Section) -> Bool

  /// Reads what an entity's section has for this kind alone; `nil` for nothing.
  func entity(
    _ section: Section,
    named name: EntityName,
    hasRoutes: Bool,
    reader: RouteReader
  ) -> (any EntityKind)?

  /// Whether `owner` names a field of the body.
  var fillsOwner: Bool { get }

  /// Whether several members together may identify a record.
  var knowsSeveralMembers: Bool { get }

  /// How the fields of an entity are compared that the profile says nothing of.
  func comparing(_ entity: EntityApi) -> EntityApi

  /// The credentials that the kind itself names, or `nil` where the profile does.
  func credentials(_ section: Section) -> [String]?

  /// Whether a session does with some of the credentials, or with none.
  var choosesCredentials: Bool { get }

  /// Whether the destination says itself whose data it serves.
  var saysAccount: Bool { get }

  /// Whether an account of the destination's is one of the app's.
  var hasAccounts: Bool { get }

  /// What `{account}` represents, by what an account is called.
  func user(inAccount account: String) -> String

  /// The way of media files where the profile names none; `nil` for tickets.
  var mediaWay: MediaApi.Way? { get }

  /// The setting without which no request removes a record of the entity; `nil` where one does.
  func missingRemoval(of entity: EntityApi) -> String?

  /// What the kind can or cannot whatever the profile says.
  var capabilities: [PresetSummary.Capability: Bool] { get }

  /// The kind's own patience; `nil` leaves that to the run.
  var retry: RetryPolicy? { get }

  /// The most requests a second, of the profile's choice or the kind's own.
  func rate(_ chosen: Double?) -> Double?

  /// Routes that belong to no entity.
  var routes: [Route] { get }
}

extension ApiKind {
  package static var hasRoutes: Bool { false }
  package func hasRoutes(_ section: Section) -> Bool { Self.hasRoutes }
  package func entity(
    _ section: Section,
    named name: EntityName,
    hasRoutes: Bool,
    reader: RouteReader
  ) -> (any EntityKind)? { nil }
  package var fillsOwner: Bool { true }
  package var knowsSeveralMembers: Bool { Self.hasRoutes }
  package func comparing(_ entity: EntityApi) -> EntityApi { entity.comparingIdentity() }
  package func credentials(_ section: Section) -> [String]? { nil }
  package var choosesCredentials: Bool { true }
  package var saysAccount: Bool { false }
  package var hasAccounts: Bool { true }
  package func user(inAccount account: String) -> String { account }
  package var mediaWay: MediaApi.Way? { nil }
  package func missingRemoval(of entity: EntityApi) -> String? { nil }
  package var capabilities: [PresetSummary.Capability: Bool] { [:] }
  package var retry: RetryPolicy? { nil }
  package func rate(_ chosen: Double?) -> Double? { chosen }
  package var routes: [Route] { [] }
}

/// What an entity's section has for one kind of destination alone.
package protocol EntityKind: Hashable, Sendable {
  /// Whether each record is sent as a row that has its identity.
  var isRow: Bool { get }
  /// The rules for fields that come back in another form, by request field.
  var comparisons: [String: EntityApi.Comparison] { get }
  /// The routes for one record, by their settings.
  var routes: [(setting: String, route: Route)] { get }
  /// The request fields that settings name, where these are not `types`.
  var uses: [(setting: String, name: String)] { get }
  /// The request fields whose types are given; `nil` where the kind gives none.
  var typedFields: [String]? { get }
  /// What does not fit together, by the setting that it is at.
  func faults(of entity: EntityApi) -> [(setting: String, cause: String, cure: String)]
}

extension EntityKind {
  package var isRow: Bool { false }
  package var comparisons: [String: EntityApi.Comparison] { [:] }
  package var routes: [(setting: String, route: Route)] { [] }
  package var uses: [(setting: String, name: String)] { [] }
  package var typedFields: [String]? { nil }
  package func faults(
    of entity: EntityApi
  ) -> [(setting: String, cause: String, cure: String)] { [] }
}

extension Api {
  /// The kind of a destination, as one value.
  @dynamicMemberLookup
  package struct Kind: Hashable, Sendable {
    package let settings: any ApiKind

    /// Every kind that a profile can name, one line each; the first is meant where it names none.
    package static let all: [any ApiKind.Type] = [
      RESTApi.self,
      CloudKitApi.self,
      ChangesetApi.self,
      FolderApi.self,
      PostgreSQLApi.self,
    ]

    /// Reads which kind an `api` section is of, with what that kind alone has.
    static func read(_ section: Section, reader: RouteReader) -> Kind {
      let name = section.choice("kind", of: all.map { $0.name })
      let kind = all.first { $0.name == name } ?? RESTApi.self
      return Kind(settings: kind.read(section, reader: reader))
    }

    package var name: String { type(of: settings).name }

    /// Whether every entity has routes of its own, and values that are written as the profile says.
    package var hasRoutes: Bool { type(of: settings).hasRoutes }

    package subscript<Fact>(dynamicMember fact: KeyPath<any ApiKind, Fact>) -> Fact {
      settings[keyPath: fact]
    }

    package static func == (one: Kind, other: Kind) -> Bool {
      AnyHashable(one.settings) == AnyHashable(other.settings)
    }

    package func hash(into hasher: inout Hasher) { settings.hash(into: &hasher) }
  }

  /// Whether the destination can do something with an entity.
  package func has(_ capability: PresetSummary.Capability, _ entity: EntityApi) -> Bool {
    switch capability {
    case .schema: schemaRoute != nil
    case .delete: kind.settings.missingRemoval(of: entity) == nil
    case .bulk: kind.capabilities[capability] ?? ((entity.create?.limit ?? 1) > 1)
    case .changes: kind.capabilities[capability] ?? (entity.list?.since != nil)
    case .files: kind.capabilities[capability] ?? (media != nil || !entity.files.isEmpty)
    case .revisions: kind.capabilities[capability] ?? (entity.version != nil)
    }
  }
}

extension EntityApi {
  /// What the entity's section has for the kind of its destination alone.
  package struct OfKind: Hashable, Sendable {
    package let settings: (any EntityKind)?

    package static func == (one: OfKind, other: OfKind) -> Bool {
      one.settings.map { AnyHashable($0) } == other.settings.map { AnyHashable($0) }
    }

    package func hash(into hasher: inout Hasher) { settings?.hash(into: &hasher) }
  }
}
