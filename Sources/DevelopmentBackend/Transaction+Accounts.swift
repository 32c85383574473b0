import GRDB

extension Transaction {
  /// The account with this e-mail address, or `nil`.
  func account(email: String) throws -> Account? {
    let row = try row(
      "SELECT id, email, name, createdAt, clock FROM accounts WHERE email = ?",
      [email]
    )
    return row.map { row in
      Account(
        id: row[0],
        email: row[1],
        name: row[2],
        createdAt: Instant(milliseconds: row[3]),
        clock: row[4]
      )
    }
  }

  /// Adds an account.
  ///
  /// Passwords are kept as they are: this server is for development.
  @discardableResult
  func createAccount(email: String, password: String, name: String? = nil) throws -> Account {
    let now = Instant.now
    let account = Account(
      id: Identifiers.rowID(at: now.milliseconds),
      email: email,
      name: name,
      createdAt: now,
      clock: now.milliseconds
    )
    try run(
      """
      INSERT INTO accounts (id, email, password, name, createdAt, clock)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [account.id, email, password, name, now.milliseconds, now.milliseconds]
    )
    return account
  }

  /// Signs an account in and answers the session with its new token.
  func openSession(for account: Account, lifetime: Double) throws -> Session {
    let now = Instant.now
    let session = Session(
      id: Identifiers.rowID(at: now.milliseconds),
      token: Identifiers.token(),
      account: account,
      createdAt: now,
      expiresAt: now.adding(seconds: lifetime)
    )
    try run(
      "INSERT INTO sessions (token, id, userId, createdAt, expiresAt) VALUES (?, ?, ?, ?, ?)",
      [
        session.token, session.id, account.id, now.milliseconds, session.expiresAt.milliseconds,
      ]
    )
    return session
  }
}
