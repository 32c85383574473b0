package import DestinationModel
import TextCodecs

/// Where a database is: `postgresql://db.example.com:5432/app?sslmode=verify-full`.
///
/// No user and no password is a part of it. What else libpq could be given by an address is refused by name.
package struct DatabaseAddress: Hashable, Sendable {
  /// A host's name or number; for a socket of this machine, the folder that it lies in.
  package let host: String
  package let port: Int
  package let database: String
  /// Parameters of libpq that the address gives: `sslmode`, `sslrootcert`.
  package let settings: [String: String]

  static let usualPort = 5432
  private static let schemes = ["postgresql://", "postgres://"]
  /// What an address may give behind its question mark.
  private static let allowed = [
    "host", "sslcert", "sslcrl", "sslkey", "sslmode", "sslrootcert", "sslsni",
  ]
  private static let modes = [
    "disable", "allow", "prefer", "require", "verify-ca", "verify-full",
  ]

  package init(_ address: String) throws(DestinationError) {
    guard let scheme = Self.schemes.first(where: { address.lowercased().hasPrefix($0) }) else {
      throw Self.refusal("is not an address of a PostgreSQL database")
    }
    let rest = address.dropFirst(scheme.count)
    let authority = rest.prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else {
      throw .misconfigured(
        reason: "the destination's address holds a user or a password",
        cure: "give it without, and the user and the password with --credential"
      )
    }
    guard !address.contains("#"), address.unicodeScalars.allSatisfy({ $0.value > 0x20 }) else {
      throw Self.refusal("holds white space, a control character or a fragment")
    }
    let parts = rest.dropFirst(authority.count)
      .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts.first, path.hasPrefix("/"), path.count > 1,
      let database = PercentCoding.strictlyDecoded(path.dropFirst()), !database.contains("/")
    else {
      throw Self.refusal("names no database")
    }
    self.database = database
    var settings = try Self.settings(parts.count > 1 ? parts[1] : "")
    (host, port) = try Self.place(authority, socket: settings.removeValue(forKey: "host"))
    // libpq's own choice is to go on without encryption where a server has none, or where a person on the
    // way says so.
    if settings["sslmode"] == nil, !Self.isThisMachine(host) { settings["sslmode"] = "require" }
    self.settings = settings
  }

  private static func place(
    _ authority: Substring,
    socket: String?
  ) throws(DestinationError) -> (host: String, port: Int) {
    var host = authority
    var port = usualPort
    let end = authority.lastIndex(of: "]") ?? authority.startIndex
    if let colon = authority[end...].lastIndex(of: ":") {
      host = authority[..<colon]
      guard let number = Int(authority[authority.index(after: colon)...]),
        (1...65_535).contains(number)
      else { throw refusal("has no port from 1 to 65535") }
      port = number
    }
    if let socket {
      guard host.isEmpty, socket.hasPrefix("/") else {
        throw refusal("names two hosts, or a socket that is not a path from the root")
      }
      return (socket, port)
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, !host.contains(",") else { throw refusal("names no host, or several") }
    return (host.lowercased(), port)
  }

  private static func settings(_ query: Substring) throws(DestinationError) -> [String: String] {
    var found: [String: String] = [:]
    for part in query.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, allowed.contains(String(halves[0])),
        let value = PercentCoding.strictlyDecoded(halves[1])
      else {
        throw .misconfigured(
          reason: "the database's address has a parameter that Ferry does not take",
          cure: "use no other than \(allowed.joined(separator: ", "))"
        )
      }
      found[String(halves[0])] = value
    }
    if let mode = found["sslmode"], !modes.contains(mode) {
      throw .misconfigured(
        reason: "the database's address has an unknown sslmode",
        cure: "use one of \(modes.joined(separator: ", "))"
      )
    }
    return found
  }

  /// Its scheme, host, port and database.
  package var text: String {
    let name = PercentCoding.encoded(database)
    let end = port == Self.usualPort ? "" : ":\(port)"
    if host.hasPrefix("/") { return "postgresql://\(end)/\(name)?host=\(host)" }
    return "postgresql://\(host.contains(":") ? "[\(host)]" : host)\(end)/\(name)"
  }

  /// Whether the connection is encrypted, or stays on this machine.
  package var isProtected: Bool {
    if Self.isThisMachine(host) { return true }
    return switch settings["sslmode"] {
    case "require", "verify-ca", "verify-full": true
    default: false
    }
  }

  private static func isThisMachine(_ host: String) -> Bool {
    let isLoop = host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isNumber }
    return host.hasPrefix("/") || isLoop || host == "localhost" || host == "::1"
  }

  private static func refusal(_ fault: String) -> DestinationError {
    .misconfigured(
      reason: "the destination's address \(fault)",
      cure: "write it like postgresql://db.example.com/app, with ?sslmode=verify-full behind it"
    )
  }
}
