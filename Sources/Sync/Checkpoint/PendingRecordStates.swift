package import GRDB
import Records
import UploadPlanning

/// How far `record` is behind the operations of the last run.
///
/// What a run makes known of records is in its operations. It is moved into `record` when the run
/// ends, all at once and in the order of keys. Moved with each confirmation, it would change pages
/// anywhere in that table, and each of them would be written whole. Who reads the table meanwhile has
/// it moved first; a single record is looked for in the operations as well.
///
/// A run that makes much of what the table will hold leaves it to the next one that asks for more than
/// single records: nothing is in flight when a run ends, so its user would wait for that alone, while
/// the next run has to read the destination in any case.
///
/// The fact `recorded-to` in `meta` is the number of the last operation whose outcome has been moved.
/// An operation up to it that is settled later is moved at once. Without the fact, every one is.
struct PendingRecordStates: Hashable, Sendable {
  private static let fact = "recorded-to"
  /// Operations up to this number are moved.
  let recordedTo: Int64
  /// No operation beyond this number waits to be moved; `nil` if it is unknown.
  private var last: Int64?
  /// Whether any may wait.
  private(set) var isBehind: Bool
  /// Of which entities any may wait; `nil` if it is unknown.
  private var entities: Set<EntityName>?
  /// From so many operations on, they may be left to the next run.
  private let bulk: Int64

  /// What a file says; `nil` where nothing can wait.
  ///
  /// - Throws: `DamagedPart` where it says what cannot be.
  init?(_ database: Database, bulk: Int64 = PlaceIndex.bulk) throws {
    let statement = try database.cachedStatement(sql: "SELECT value FROM meta WHERE name = ?")
    guard let text = try String.fetchOne(statement, arguments: [Self.fact]) else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw DamagedPart(reason: "its fact \(Self.fact) is not a number of an operation")
    }
    let newest = try Self.newestOperation(in: database)
    guard number <= newest else {
      throw DamagedPart(
        reason: "its fact \(Self.fact) is \(number), and its last operation is \(newest)"
      )
    }
    self.init(recordedTo: number, last: nil, isBehind: true, entities: nil, bulk: bulk)
  }

  private init(
    recordedTo: Int64,
    last: Int64?,
    isBehind: Bool,
    entities: Set<EntityName>?,
    bulk: Int64
  ) {
    self.recordedTo = recordedTo
    self.last = last
    self.isBehind = isBehind
    self.entities = entities
    self.bulk = bulk
  }

  /// The number of the last operation that was ever planned; 0 where there was none.
  private static func newestOperation(in database: Database) throws -> Int64 {
    try Int64.fetchOne(
      database,
      sql: "SELECT seq FROM sqlite_sequence WHERE name = 'operation'"
    ) ?? 0
  }

  /// Writes down that the operations of a run begin here.
  static func begin(in database: Database, bulk: Int64) throws -> PendingRecordStates {
    let number = try newestOperation(in: database)
    let pendingStates = PendingRecordStates(
      recordedTo: number,
      last: number,
      isBehind: false,
      entities: [],
      bulk: bulk
    )
    try pendingStates.write(in: database)
    return pendingStates
  }

  /// Ends a run: moves what waits, unless that is much, and writes down that nothing waits any more.
  ///
  /// - Returns: The delay that is left to the next run; `nil` where nothing waits.
  func ended(in database: Database) throws -> PendingRecordStates? {
    let end = try end(in: database)
    if try PlaceIndex.isBulk(end - recordedTo, from: bulk, in: database) {
      return behind(with: end)
    }
    _ = try caughtUp(in: database)
    try database.execute(sql: "DELETE FROM meta WHERE name = ?", arguments: [Self.fact])
    return nil
  }

  /// The number of the last operation that may wait.
  private func end(in database: Database) throws -> Int64 {
    guard isBehind else { return recordedTo }
    return try last ?? Self.lastSettled(after: recordedTo, in: database) ?? recordedTo
  }

  private func write(in database: Database) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
      arguments: [Self.fact, "\(recordedTo)"]
    )
  }

  /// The delay after operations on records of these entities were planned.
  func planned(_ entities: some Sequence<EntityName>) -> PendingRecordStates {
    var pendingStates = self
    pendingStates.entities?.formUnion(entities)
    return pendingStates
  }

  /// The delay after operations up to `number` were settled and wait.
  func behind(with number: Int64) -> PendingRecordStates {
    var pendingStates = self
    pendingStates.last = last.map { max($0, number) }
    pendingStates.isBehind = true
    return pendingStates
  }

  /// Whether an operation on a record of an entity may wait.
  func mayWait(_ entity: EntityName) -> Bool { isBehind && entities?.contains(entity) != false }

  /// Moves what waits.
  func caughtUp(in database: Database) throws -> PendingRecordStates {
    guard isBehind else { return self }
    let end = try end(in: database)
    let pendingStates = PendingRecordStates(
      recordedTo: end,
      last: end,
      isBehind: false,
      entities: entities,
      bulk: bulk
    )
    guard end > recordedTo else { return pendingStates }
    try PlaceIndex.around(end - recordedTo, from: bulk, in: database) {
      try Self.move(after: recordedTo, to: end, in: database)
    }
    try pendingStates.write(in: database)
    return pendingStates
  }

  /// Whether any operation waits.
  func waits(in database: Database) throws -> Bool {
    try Self.lastSettled(after: recordedTo, in: database) != nil
  }

  private static func lastSettled(after number: Int64, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT number FROM operation NOT INDEXED WHERE number > ? AND \(isSettled)
        ORDER BY number DESC LIMIT 1
        """,
      arguments: [number]
    )
  }

  // MARK: - Moving

  /// Where what is known of records is moved to.
  enum Target {
    /// The checkpoint's own table.
    case checkpoint
    /// A table of the connection's own, of the same columns.
    case temporary
  }

  /// Moves what is known of records to what the operations from behind `first` to `last` made of them.
  static func move(
    after first: Int64,
    to last: Int64,
    into target: Target = .checkpoint,
    in database: Database
  ) throws {
    let sql = target == .checkpoint ? movingIntoCheckpoint : movingIntoTemporary
    try database.cachedStatement(sql: sql).execute(arguments: [first, last])
  }

  // Made once: where records are sent one at a time, they are asked for with each of them.
  private static let movingIntoCheckpoint = moving(into: "main")
  private static let movingIntoTemporary = moving(into: "temp")

  /// Where an operation `waiting` leaves its record; nowhere, if it takes it away.
  private static let place = """
    CASE WHEN waiting.state = 'confirmed' AND waiting.action IN (\(actions { $0.removes }))
      THEN NULL ELSE waiting.server_id END
    """

  private static let isSettled = "state IN ('confirmed', 'adopted')"

  /// A confirmation brings a record one generation on; an adoption finds it as it is.
  ///
  /// Keys are compared faster alone than behind the names of their entities, of which a run has few.
  private static func moving(into schema: String) -> String {
    """
    INSERT INTO \(schema).record (entity, key, server_id, version, content, request_digest, origin, generation,
      synced_at)
    SELECT entity, key, \(place), version, content, request_digest,
      CASE WHEN state = 'confirmed' AND action IN (\(actions { $0 == .create || $0 == .upload }))
        THEN 'created' ELSE 'adopted' END,
      state = 'confirmed', settled_at
    FROM main.operation AS waiting NOT INDEXED
    WHERE number > ? AND number <= ? AND \(isSettled)
      AND action <> '\(Operation.Action.discard.rawValue)'
    ORDER BY key, number
    ON CONFLICT DO UPDATE SET server_id = excluded.server_id, version = excluded.version,
      content = excluded.content, request_digest = excluded.request_digest, synced_at = excluded.synced_at,
      origin = CASE WHEN excluded.origin = 'created' THEN 'created'
        WHEN excluded.generation = 1 OR record.server_id IS excluded.server_id THEN record.origin
        ELSE 'adopted' END,
      generation = record.generation + excluded.generation
    """
  }

  /// The actions of one kind, as a list in SQL.
  private static func actions(_ isWanted: (Operation.Action) -> Bool) -> String {
    Operation.Action.allCases.filter(isWanted).map { "'\($0.rawValue)'" }.joined(separator: ", ")
  }

  // MARK: - One record

  /// The operations on the record with the entity `entity` and the key `key` that wait, being those
  /// from behind `first` on.
  private static func waiting(_ entity: String, _ key: String, after first: String) -> String {
    """
    FROM operation AS waiting INDEXED BY operation_by_record
    WHERE waiting.entity = \(entity) AND waiting.key = \(key) AND waiting.number > \(first)
      AND waiting.\(isSettled) AND waiting.action <> '\(Operation.Action.discard.rawValue)'
    """
  }

  /// What the newest operation on a record that waits will make of it.
  ///
  /// Its parameters are the entity, the key, and the number behind which operations wait.
  static let known = """
    SELECT \(place), version, content, request_digest,
      (SELECT count(*) \(waiting("?1", "?2", after: "?3")) AND waiting.state = 'confirmed')
      + coalesce((SELECT generation FROM record WHERE entity = ?1 AND key = ?2), 0)
    \(waiting("?1", "?2", after: "?3")) ORDER BY number DESC LIMIT 1
    """

  /// The place that is known of the record of an operation, in a statement that changes `operation`;
  /// operations behind the number that the parameter `limit` holds wait.
  static func knownPlace(after limit: String) -> String {
    let earlier =
      waiting("operation.entity", "operation.key", after: limit)
      + " AND waiting.number < operation.number"
    return """
      CASE WHEN EXISTS (SELECT 1 \(earlier))
        THEN (SELECT \(place) \(earlier) ORDER BY waiting.number DESC LIMIT 1)
        ELSE (SELECT known.server_id FROM record AS known
          WHERE known.entity = operation.entity AND known.key = operation.key) END
      """
  }
}

extension CheckpointFile {
  /// Moves to their records all outcomes that wait for it.
  ///
  /// - Throws: `DamagedPart` where the file says of them what cannot be.
  package static func moveOutcomes(in database: Database) throws {
    _ = try PendingRecordStates(database)?.caughtUp(in: database)
  }
}
