package import DestinationModel
package import HTTPTransport
import JSONText
package import LongTexts
package import Profiles
import Records
import Synchronization
import UploadPlanning

/// Tables of a PostgreSQL database, a row for each record.
///
/// Each request is one transaction, in which each of its operations is noted in a table of Ferry's own. What
/// became of a request whose answer was lost is therefore known, and not guessed from content.
package struct PostgreSQLDestination: Destination {
  package let traits: DestinationTraits
  let api: Api
  let database: PostgreSQLApi
  let pool: ConnectionPool
  let memory = DatabaseMemory()

  /// - Parameters:
  ///   - api: What the profile says.
  ///   - address: `postgresql://host:port/database`.
  ///   - credentials: Asked for the user and the password at each new connection.
  /// - Throws: `DestinationError.misconfigured(reason:cure:)` for an address or a profile that cannot be used.
  package init(
    api: Api,
    address: String,
    credentials: any CredentialSource
  ) throws(DestinationError) {
    guard let database = api.kind.settings as? PostgreSQLApi else {
      throw .misconfigured(
        reason: "the profile's api is not of the kind postgresql",
        cure: "write “kind: postgresql”, and a table for each entity"
      )
    }
    let place = try DatabaseAddress(address)
    self.api = api
    self.database = database
    pool = ConnectionPool(
      place,
      credentials: credentials,
      names: api.credentials,
      patience: api.timeout
    )
    let names = api.entities.map(\.entity)
    func all<Value>(_ value: Value) -> [EntityName: Value] {
      Dictionary(names.map { ($0, value) }, uniquingKeysWith: { first, _ in first })
    }
    traits = DestinationTraits(
      origin: place.text,
      replay: Dictionary(
        api.entities.map { ($0.entity, Self.replay(of: $0)) },
        uniquingKeysWith: { first, _ in first }
      ),
      batchLimit: all(database.batchLimit),
      concurrency: api.concurrency,
      listsChangesSince: all(false),
      takesMedia: false,
      batchesChanges: true,
      notesOperations: true
    )
  }

  /// A row that several columns identify is known by what the database says that it made.
  ///
  /// To send it again at once does no harm: the note of the first request has the second wait for its end.
  private static func replay(of entity: EntityApi) -> DestinationTraits.Replay {
    entity.isCompound ? .lookUp(settle: .zero) : .id
  }

  var origin: String { pool.address.text }

  /// The account that the profile names, the role, the server's own identity and the database.
  package func account() async throws(DestinationError) -> String {
    do throws(DatabaseFault) {
      let role = try await pool.identity()
      return api.statedAccount.map { "\($0), \(role)" } ?? role
    } catch {
      throw error.error(at: origin)
    }
  }

  package func giveUpWaiting() { pool.hurry() }

  package func standIn(_ texts: LongTexts) -> Bool {
    memory.texts = texts
    return true
  }

  package func accountFault() async -> DestinationError? { pool.accountFault }

  // MARK: - The tables

  /// The tables, looked at once.
  func catalog() async throws(DestinationError) -> Catalog {
    if let known = memory.catalog { return known }
    let reader = CatalogReader(api: api, schema: database.schema)
    let found = try await reading { connection throws(DatabaseFault) in
      try reader.read(connection)
    }
    memory.catalog = found
    return found
  }

  func table(of entity: EntityName) async throws(DestinationError) -> DatabaseTable {
    guard let table = try await catalog().tables[entity] else {
      throw .misconfigured(
        reason: "the profile has no table for \(entity)",
        cure: "add it under api.entities"
      )
    }
    return table
  }

  var notes: NoteStatements { NoteStatements(schema: database.schema) }

  /// Reads in a transaction that can change nothing.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (DatabaseConnection) throws(DatabaseFault) -> Value
  ) async throws(DestinationError) -> Value {
    do throws(TransactionFault) {
      return try await pool.transaction(.reading, body)
    } catch {
      if case .refused(let fault) = error.fault, fault.meaning == .changed { memory.catalog = nil }
      throw error.fault.error(at: origin)
    }
  }
}

/// What was seen of the database so far.
final class DatabaseMemory: Sendable {
  private let state = Mutex(State())

  private struct State {
    var catalog: Catalog?
    var emptyTables: Set<EntityName> = []
    var texts: LongTexts?
  }

  /// Where long texts are; `nil` where records come and go whole.
  var texts: LongTexts? {
    get { state.withLock { $0.texts } }
    set { state.withLock { $0.texts = newValue } }
  }

  var catalog: Catalog? {
    get { state.withLock { $0.catalog } }
    set { state.withLock { $0.catalog = newValue } }
  }

  /// Whether an entity's table was empty when it was listed, so that its rows are made by `COPY`.
  func isEmpty(_ entity: EntityName) -> Bool { state.withLock { $0.emptyTables.contains(entity) } }

  func note(_ entity: EntityName, isEmpty: Bool) {
    state.withLock { state in
      if isEmpty {
        state.emptyTables.insert(entity)
      } else {
        state.emptyTables.remove(entity)
      }
    }
  }
}

extension PostgreSQLDestination: DestinationKind {
  package static let kind: any ApiKind.Type = PostgreSQLApi.self

  package static func isInTheOpen(_ address: String) -> Bool {
    do throws(DestinationError) { return try !DatabaseAddress(address).isProtected } catch {
      return false
    }
  }

  package init(_ place: DestinationPlace) throws(DestinationError) {
    try self.init(api: place.api, address: place.address, credentials: place.credentials)
  }
}

/// Shows its address and nothing else: what lies further inside holds the password.
extension PostgreSQLDestination: CustomStringConvertible, CustomReflectable {
  package var description: String { "the database at \(origin)" }
  package var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}
