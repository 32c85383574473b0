import GRDB
import HTTPTypes
import JSONText

/// One request's time in the database.
final class Transaction {
  let database: Database
  let pages: PageMemory
  /// Who sends the request, once that is known.
  private(set) var account: Account?
  private var lastTick: Int64?

  /// Anyone who is signed in.
  struct Account: Hashable, Sendable {
    let id: String
    let email: String
    let name: String?
    let createdAt: Instant
    let clock: Int64
  }

  init(_ database: Database, pages: PageMemory) {
    self.database = database
    self.pages = pages
  }

  /// Runs a statement, prepared once for all its uses.
  func run(_ sql: String, _ arguments: StatementArguments = []) throws {
    try database.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// The first row of a query.
  func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
    try Row.fetchOne(try database.cachedStatement(sql: sql), arguments: arguments)
  }

  /// All rows of a query.
  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(try database.cachedStatement(sql: sql), arguments: arguments)
  }

  /// The whole number that a query answers.
  func count(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
    try Int.fetchOne(try database.cachedStatement(sql: sql), arguments: arguments) ?? 0
  }

  /// The next moment of the account's clock: never the same twice, never backwards.
  func tick() throws -> Instant {
    let account = try signedInAccount()
    let next = max((lastTick ?? account.clock) + 1, Instant.now.milliseconds)
    lastTick = next
    return Instant(milliseconds: next)
  }

  /// Keeps the account's clock, when it moved.
  func saveClock() throws {
    guard let lastTick, let account else { return }
    try run("UPDATE accounts SET clock = ? WHERE id = ?", [lastTick, account.id])
  }

  /// Anyone who is signed in, or a refusal.
  func signedInAccount() throws(Refusal) -> Account {
    guard let account else { throw .unauthorized }
    return account
  }

  /// Acts for this account from now on.
  func act(for account: Account) throws {
    try saveClock()
    lastTick = nil
    self.account = account
  }

  /// Acts for the account that a token belongs to; answers its session, or `nil` when it is not
  /// valid.
  @discardableResult
  func signIn(token: String) throws -> Session? {
    let row = try row(
      """
      SELECT s.id, s.token, s.createdAt, s.expiresAt, a.id, a.email, a.name, a.createdAt, a.clock
      FROM sessions s JOIN accounts a ON a.id = s.userId WHERE s.token = ? AND s.expiresAt > ?
      """,
      [token, Instant.now.milliseconds]
    )
    guard let row else { return nil }
    let account = Account(
      id: row[4],
      email: row[5],
      name: row[6],
      createdAt: Instant(milliseconds: row[7]),
      clock: row[8]
    )
    self.account = account
    return Session(
      id: row[0],
      token: row[1],
      account: account,
      createdAt: Instant(milliseconds: row[2]),
      expiresAt: Instant(milliseconds: row[3])
    )
  }

  /// One sign-in, for as long as it lasts.
  struct Session: Sendable {
    let id: String
    let token: String
    let account: Account
    let createdAt: Instant
    let expiresAt: Instant
  }

  /// Counts one use of an operation, unless the account has had its share of the window.
  func use(_ operation: String, limit: Int?, window: Double) throws {
    guard let limit else { return }
    let account = try signedInAccount()
    let now = Instant.now
    let used = try count(
      "SELECT COUNT(*) FROM usage WHERE userId = ? AND operation = ? AND at >= ?",
      [account.id, operation, now.adding(seconds: -window).milliseconds]
    )
    guard used < limit else {
      let reset = now.adding(seconds: window).text
      throw Refusal(
        .tooManyRequests,
        "RateLimitExceeded",
        "Rate limit exceeded for \(operation). Resets at \(reset). "
          + "Limit: \(limit) requests per hour."
      )
    }
    try run(
      "INSERT INTO usage (userId, operation, at) VALUES (?, ?, ?)",
      [account.id, operation, now.milliseconds]
    )
  }
}
