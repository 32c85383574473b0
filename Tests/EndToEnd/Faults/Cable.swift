import Foundation
import TestSupport

/// Two network namespaces with a cable between them: a server in one, the program in the other.
///
/// The server listens on loopback, as it does everywhere; the program reaches just that address
/// through the cable. What goes wrong on the way is the system's own packet filter's doing.
struct Cable: Sendable {
  /// An end of the cable.
  enum End: String, Sendable {
    case server, client

    /// Addresses that no one has on purpose. <https://www.rfc-editor.org/rfc/rfc2544>
    var address: String { self == .server ? "198.18.0.1" : "198.18.0.2" }
  }

  private let name: String

  /// The packet filter of this machine that does what is asked of it; `iptables` may be one of two.
  private static let filter = ["iptables", "iptables-legacy"].first { program in
    guard Injector.program(program) != nil else { return false }
    do {
      // What a new namespace takes, every other does.
      try LoopDisk.run("unshare", "--net", program, "--append", "INPUT", "--jump", "DROP")
      return true
    } catch {
      return false
    }
  }

  /// Why there can be none on this machine; `nil` where there can.
  static let obstacle: String? = {
    #if os(Linux)
    guard getuid() == 0 else { return "only root can make network namespaces" }
    for name in ["ip", "nsenter", "unshare", "tc"] where Injector.program(name) == nil {
      return "there is no \(name)"
    }
    guard filter != nil else { return "there is no iptables that this system takes" }
    do {
      let cable = try Cable()
      try cable.disturb(.client, .loss(percent: 50))
      try cable.remove()
      return nil
    } catch {
      return "\(error)"
    }
    #else
    return "not Linux"
    #endif
  }()

  /// Lays one, and takes it away again.
  static func with<Value>(_ body: (Cable) async throws -> Value) async throws -> Value {
    let cable = try Cable()
    do {
      let value = try await body(cable)
      try cable.remove()
      return value
    } catch {
      // The first error is the one to state.
      try? cable.remove()
      throw error
    }
  }

  private init() throws {
    name = "ferry-\(UUID().uuidString.prefix(8).lowercased())"
    do {
      for end in [End.server, .client] { try LoopDisk.run("ip", "netns", "add", space(end)) }
      try ip(
        .server,
        "link",
        "add",
        "cable",
        "type",
        "veth",
        "peer",
        "name",
        "cable",
        "netns",
        space(.client)
      )
      for end in [End.server, .client] {
        // Loopback addresses stay within a machine unless the interface is reported otherwise.
        // <https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html>
        try run(end, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/conf/cable/route_localnet")
        try ip(end, "address", "add", "\(end.address)/24", "dev", "cable")
        try ip(end, "link", "set", "cable", "up")
      }
      try ip(.server, "link", "set", "lo", "up")
      // With its own loopback down, the client's way there leads through the cable.
      try ip(.client, "route", "add", "127.0.0.1/32", "via", End.server.address)
    } catch {
      try? remove()
      throw error
    }
  }

  func remove() throws {
    for end in [End.server, .client] { try LoopDisk.run("ip", "netns", "delete", space(end)) }
  }

  // MARK: - Who is at its ends

  private func space(_ end: End) -> String { "\(name)-\(end.rawValue)" }

  /// The file that represents a namespace. <https://man7.org/linux/man-pages/man8/ip-netns.8.html>
  func namespace(_ end: End) -> String { "/run/netns/\(space(end))" }

  private func run(_ end: End, _ words: String...) throws { try run(end, words) }

  private func run(_ end: End, _ words: [String]) throws {
    try LoopDisk.run(["nsenter", "--net=\(namespace(end))"] + words)
  }

  private func ip(_ end: End, _ words: String...) throws {
    try LoopDisk.run(["ip", "-netns", space(end)] + words)
  }

  // MARK: - What goes wrong

  /// What happens to packets that arrive at an end.
  enum Disturbance: Sendable {
    /// So many in a hundred of all, by chance, never arrive.
    case loss(percent: Int)
    /// One in so many of all never arrives.
    case losses(every: Int)
    /// Those that carry anything never arrive; those that only acknowledge do.
    case silence
    /// One in so many new connections is reset at once.
    case refusedConnections(every: Int)
    /// One in so many of those that carry anything has its connection reset.
    case resets(every: Int)
    /// None arrives.
    case partition

    /// The rule, in the words of `iptables`.
    var words: [String] {
      // The heads are 52 bytes long at most, or 60 at the beginning.
      let carries = ["--match", "length", "--length", "80:65535"]
      func nth(_ count: Int) -> [String] {
        "--match statistic --mode nth --every \(count) --packet \(count - 1)".split(separator: " ")
          .map(String.init)
      }
      let resets = ["--jump", "REJECT", "--reject-with", "tcp-reset"]
      switch self {
      case .loss(let percent):
        return [
          "--match", "statistic", "--mode", "random", "--probability", "\(Double(percent) / 100)",
          "--jump", "DROP",
        ]
      case .losses(let count): return nth(count) + ["--jump", "DROP"]
      case .silence: return carries + ["--jump", "DROP"]
      case .refusedConnections(let count): return ["--syn"] + nth(count) + resets
      case .resets(let count): return carries + nth(count) + resets
      case .partition: return ["--jump", "DROP"]
      }
    }
  }

  /// Has this happen to what arrives at `end`, in addition to what happens already.
  func disturb(_ end: End, _ disturbance: Disturbance) throws {
    try run(
      end,
      [
        Self.filter ?? "iptables", "--append", "INPUT", "--in-interface", "cable", "--protocol",
        "tcp",
      ] + disturbance.words
    )
  }

  /// Lets everything arrive again.
  func calm() throws {
    for end in [End.server, .client] {
      try run(end, [Self.filter ?? "iptables", "--flush", "INPUT"])
    }
  }

  /// How many packets have found any disturbance.
  func disturbedCount() throws -> Int { try disturbedCounts().reduce(0, +) }

  /// How many packets have found each disturbance, those at the server's end first.
  func disturbedCounts() throws -> [Int] {
    try [End.server, .client].flatMap { end in
      let text = try RealServer.output(
        "/usr/bin/env",
        [
          "nsenter", "--net=\(namespace(end))", Self.filter ?? "iptables", "--list", "INPUT",
          "--numeric", "--verbose", "--exact",
        ]
      )
      // Two lines of heads, then the rules; the first number of each is that of its packets.
      let rules = text.split(separator: "\n").dropFirst(2)
      return rules.map { Int($0.split(separator: " ").first ?? "") ?? 0 }
    }
  }

  /// Makes both directions slow. <https://man7.org/linux/man-pages/man8/tc-tbf.8.html>
  func narrow(toKilobits rate: Int) throws {
    for end in [End.server, .client] {
      try run(
        end,
        "tc",
        "qdisc",
        "add",
        "dev",
        "cable",
        "root",
        "tbf",
        "rate",
        "\(rate)kbit",
        "burst",
        "3000",
        "latency",
        "400ms"
      )
    }
  }
}
