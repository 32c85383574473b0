import CheckedDatabases
import struct Foundation.Data
package import GRDB
import LongTexts
import Records

// Long texts of what the checkpoint keeps: each once, in pieces, before the row that names it.

extension CheckpointFile {
  /// Whether the content of a long text is kept.
  package func has(_ kept: KeptText) throws(CheckpointError) -> Bool {
    try read { database in try Self.number(of: kept, in: database) != nil }
  }

  /// Keeps the content of a long text, all of it or nothing; it is on the disk when this returns.
  ///
  /// `next` gives the next piece, and `nil` behind the last.
  package func keep(_ kept: KeptText, _ next: () throws -> [UInt8]?) throws(CheckpointError) {
    try write { database in
      try database.execute(
        sql: "INSERT INTO long_text (digest, count, size) VALUES (?, ?, ?)",
        arguments: [kept.text.digest.data, kept.text.count, kept.size]
      )
      let text = database.lastInsertedRowID
      let statement = try DirectStatement(
        "INSERT INTO long_text_piece (text, number, bytes) VALUES (?, ?, ?)",
        in: database
      )
      statement.bind(text, at: 1)
      var number: Int64 = 0
      while let piece = try next() {
        statement.bind(number, at: 2)
        statement.bind(piece, at: 3)
        try statement.run()
        number += 1
      }
    }
  }

  /// A piece of a long text that is kept, counted from zero; `nil` behind the last.
  package func piece(_ number: Int, of kept: KeptText) throws(CheckpointError) -> [UInt8]? {
    try read { database in
      guard let text = try Self.number(of: kept, in: database) else { return nil }
      let statement = try DirectStatement(
        "SELECT bytes FROM long_text_piece WHERE text = ? AND number = ?",
        in: database
      )
      statement.bind(text, at: 1)
      statement.bind(Int64(number), at: 2)
      return try statement.step() ? try statement.bytesOrNull(0) : nil
    }
  }

  private static func number(of kept: KeptText, in database: Database) throws -> Int64? {
    let statement = try database.cachedStatement(
      sql: "SELECT number FROM long_text WHERE digest = ? AND count = ? AND size = ?"
    )
    return try Int64.fetchOne(
      statement,
      arguments: [kept.text.digest.data, kept.text.count, kept.size]
    )
  }

  /// The long texts that rows name, and of which the content is not there, or not all of it.
  ///
  /// The bytes that are kept of one are as many as it has in JSON's escapes, or more where they are encrypted.
  package static func missingTexts(in database: Database) throws -> Set<KeptText> {
    var named: Set<KeptText> = []
    try eachNamedText(in: database) { named.insert($0) }
    return try named.filter { text in
      guard let number = try number(of: text, in: database) else { return true }
      let pieces = try DirectStatement(
        """
        SELECT coalesce(sum(length(bytes)), 0), count(*), coalesce(max(number) + 1, 0)
        FROM long_text_piece WHERE text = ?
        """,
        in: database
      )
      pieces.bind(number, at: 1)
      guard try pieces.step() else { return true }
      return try pieces.integer(0) < Int64(text.size) || pieces.integer(1) != pieces.integer(2)
    }
  }

  /// Goes through the long texts that rows name; one comes again for each row.
  private static func eachNamedText(
    in database: Database,
    _ body: (KeptText) -> Void
  ) throws {
    for (table, column) in CheckpointSchema.valuesWithTexts {
      let rows = try DirectStatement(
        "SELECT \(column) FROM \(table) WHERE \(CheckpointSchema.namesTexts(column))",
        in: database
      )
      while try rows.step() {
        KeptValue(column: try rows.bytesOrNull(0) ?? []).texts.forEach(body)
      }
    }
  }

  /// Drops the long texts that no row names: of rows that are gone, and of a run that was killed before it
  /// wrote its row.
  static func dropUnnamedTexts(in database: Database) throws {
    let statement = try DirectStatement(
      "SELECT digest, count, size, number FROM long_text",
      in: database
    )
    var unnamed: [KeptText: Int64] = [:]
    while try statement.step() {
      guard let digest = statement.digest(0) else {
        throw DamagedPart(reason: "the digest of a long text is not whole")
      }
      let text = LongText(digest: digest, count: Int(try statement.integer(1)))
      unnamed[KeptText(text, size: Int(try statement.integer(2)))] = try statement.integer(3)
    }
    guard !unnamed.isEmpty else { return }
    try eachNamedText(in: database) { unnamed[$0] = nil }
    for number in unnamed.values {
      try database.execute(sql: "DELETE FROM long_text_piece WHERE text = ?", arguments: [number])
      try database.execute(sql: "DELETE FROM long_text WHERE number = ?", arguments: [number])
    }
  }
}
