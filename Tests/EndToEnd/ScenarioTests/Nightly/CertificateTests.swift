import Foundation
import TestSupport
import Testing

/// A server whose certificate comes from an authority that the program trusts, and fits or does not.
@Suite(
  .timeLimit(.minutes(2)),
  .enabled(if: Authority.canBeTrusted, "skipped: this system cannot be made to trust an authority")
)
struct CertificateTests {
  /// What is the matter with a certificate; nothing with the first, by which the others are
  /// distinguished from a server that is not there at all.
  private static let kinds = ["fitting", "expired", "early", "elsewhere"]

  @Test
  func
    `with an expired, future or wrong certificate, nothing is sent`()
    async throws
  {
    try await withScenario { scenario in
      let folder = "\(scenario.folder)/servers"
      try makeFolder(folder)
      let script = ServerScript.path("certified_server.py")
      var ports: [String: Int] = [:]
      for kind in Self.kinds { ports[kind] = try RealServer.freePort() }
      let server = try RealServer(
        "/usr/bin/env",
        ["python3", script, "{port}", folder] + ports.map { "\($0.key)=\($0.value)" },
        in: scenario.folder,
        answersAt: "/ready"
      )
      let trusting = scenario.program.started(by: Authority.trusting("\(folder)/authority.pem"))
      for kind in Self.kinds {
        let port = try #require(ports[kind])
        let finished = try await trusting.run(
          ["preflight", "--profile", scenario.profile, "--to", "https://127.0.0.1:\(port)"]
            + scenario.credentials,
          environment: scenario.environment,
          state: scenario.state
        )
        let said = finished.standardOutput + finished.standardError
        let heard = try String(at: "\(folder)/\(kind)")
        if kind == "fitting" {
          #expect(!said.contains("is not trusted") && !heard.isEmpty, "\(said)")
        } else {
          #expect(finished.status == 7, "\(kind): \(finished.status) \(said)")
          #expect(said.contains("is not trusted"), "\(kind): \(said)")
          #expect(heard.isEmpty, "\(kind)")
        }
      }
      withExtendedLifetime(server) {}
    }
  }
}

/// Which authorities a program trusts.
private enum Authority {
  /// Where Debian keeps them, and TLS libraries look.
  private static let place = "/etc/ssl/certs/ca-certificates.crt"

  /// What starts a program that trusts the one in a file besides those that have a file each; for no
  /// other user anything changes.
  static func trusting(_ file: String) -> [String] {
    let words = #"mount --bind "$1" "# + place + #" && shift && exec "$@""#
    return ["unshare", "--mount", "sh", "-c", words, "sh", file]
  }

  /// Whether this user may do that here.
  static let canBeTrusted: Bool = {
    do {
      _ = try RealServer.output("/usr/bin/env", trusting(place) + ["true"])
      return true
    } catch {
      return false
    }
  }()
}
