/// By what SQLite orders and compares texts: an order of its own, or one that only the app has.
///
/// A row that SQLite looks for by an order of the app's can be missed, so what is compared here is
/// never compared by one; bytes that are the same are so in every order.
///
/// https://sqlite.org/datatype3.html#collating_sequences
struct SQLiteCollation {
  static let binary = SQLiteCollation(name: "BINARY")

  let name: String

  var isOfTheApp: Bool {
    !["BINARY", "NOCASE", "RTRIM"].contains { isSameName($0, name) }
  }
}
