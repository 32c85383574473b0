import Files
import Foundation
import HTTPTransport
import JSONText
import Synchronization
import TestSupport
import Testing

/// Which hosts are asked for a file that a record names by address.
struct FetchJudgementTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]

  /// Fetches from an address while names represent what `names` says.
  private func fetch(
    _ address: String,
    hosts: [String] = [],
    names: [String: String] = [:],
    proxies: ProxySettings = .none
  ) async throws -> Result<Int64, FetchFailure> {
    let connections = FetchConnections(userAgent: "test", proxies: proxies) { host in
      names[host].map { .address($0) } ?? .failed(reason: "its name is not known")
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var limits = FetchLimits()
    limits.time = .seconds(5)
    let fetcher = MediaFetcher(connections: connections, limits: limits)
    let requestedPause = MediaFetchRequest(address: address, hosts: hosts, mediaTypes: [])
    let result: Result<Int64, FetchFailure>
    do throws(FetchFailure) {
      result = .success(
        try await fetcher.fetch(requestedPause, to: folder.appending(path: "file").path)
      )
    } catch {
      result = .failure(error)
    }
    await connections.shutdown()
    return result
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
    ("[::1]", "::1"), ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"), ("inner.example.com", "10.0.0.7"),
    ("metadata.example.com", "169.254.169.254"), ("six.example.com", "fd00::1"),
  ])
  func `a host that is not public is not asked`(host: String, address: String) async throws {
    try await ScriptedServer.run({ _ in .json([:]) }) { server in
      let bare = host.filter { !"[]".contains($0) }
      let result = try await fetch("http://\(host):\(server.port)/a.png", names: [bare: address])
      guard case .failure(.unusable(let reason)) = result else {
        Issue.record("\(result)")
        return
      }
      #expect(reason.contains("this machine, its network"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `a redirect to this machine is not followed`() async throws {
    try await ScriptedServer.run({ request in
      request.target == "/a.png"
        ? .json([:], status: 302, headers: [("Location", "http://2130706433:9/b.png")]) : .json([:])
    }) { server in
      let result = try await fetch(
        "http://127.0.0.1:\(server.port)/a.png",
        hosts: ["127.0.0.1"],
        names: ["2130706433": "127.0.0.1"]
      )
      guard case .failure(.redirected) = result else {
        Issue.record("\(result)")
        return
      }
      #expect(server.requests.allSatisfy { $0.target == "/a.png" })
    }
  }

  @Test func `a host that the profile names is requested at any address`() async throws {
    try await ScriptedServer.run({ _ in .json(["a": 1]) }) { server in
      let result = try await fetch("http://127.0.0.1:\(server.port)/a", hosts: ["127.0.0.1"])
      #expect(try result.get() == 7)
    }
  }

  @Test func `a host name is looked up once, and the connection goes to the judged address`()
    async throws
  {
    let lookedUp = Mutex(0)
    // 192.0.2.1 answers no one; a second look would lead to this machine.
    let connections = FetchConnections(userAgent: "test") { _ in
      lookedUp.withLock { count in
        count += 1
        return .address(count == 1 ? "1.1.1.1" : "127.0.0.1")
      }
    }
    try await ScriptedServer.run({ _ in .json([:]) }) { server in
      var limits = FetchLimits()
      limits.time = .milliseconds(200)
      let fetcher = MediaFetcher(connections: connections, limits: limits)
      let requestedPause = MediaFetchRequest(
        address: "http://rebound.example.com:\(server.port)/a",
        hosts: [],
        mediaTypes: []
      )
      await #expect(throws: FetchFailure.self) {
        try await fetcher.fetch(requestedPause, to: "/nonexistent/ferry-fetch/file")
      }
      #expect(server.requests.isEmpty)
    }
    #expect(lookedUp.withLock { $0 } == 1)
    await connections.shutdown()
  }

  @Test func `an unknown host name is looked up again`() async throws {
    let lookedUp = Mutex(0)
    let connections = FetchConnections(userAgent: "test") { _ in
      lookedUp.withLock { count in
        count += 1
        return count == 1 ? .failed(reason: "its name is not known") : .address("127.0.0.1")
      }
    }
    let fetcher = MediaFetcher(connections: connections, limits: FetchLimits())
    let requestedPause = MediaFetchRequest(
      address: "https://files.example.com/a",
      hosts: [],
      mediaTypes: []
    )
    let error = await #expect(throws: FetchFailure.self) {
      try await fetcher.fetch(requestedPause, to: "/nonexistent/ferry-fetch/file")
    }
    #expect(error?.code == "media.fetch-address")
    #expect(lookedUp.withLock { $0 } == 2)
    await connections.shutdown()
  }

  @Test func `through a proxy only hosts that the profile names are asked`() async throws {
    let proxies = try ProxySettings(["ALL_PROXY": "http://127.0.0.1:9"])
    let result = try await fetch("http://files.example.com/a", proxies: proxies)
    guard case .failure(.unusable(let reason)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(reason.contains("proxy"))
  }
}
