package import DestinationModel
import Foundation
import Synchronization

/// Secrets that a person types, each asked for once and kept in memory alone.
package final class TypedSecrets: Sendable {
  private let known = Mutex<[String: [UInt8]]>([:])

  package init() {}

  /// What a person types for a name; nothing of it appears on the terminal.
  @Sendable package func secret(named name: String) async throws(DestinationError) -> [UInt8] {
    if let bytes = known.withLock({ $0[name] }) { return bytes }
    guard let typed = getpass("\(name)? ") else {
      throw .misconfigured(
        reason: "“\(name)” could not be read from the terminal",
        cure: "give it with --credential \(name)=file:PATH, env:VAR or command:CMD"
      )
    }
    let bytes = Array(String(cString: typed).utf8)
    memset(typed, 0, bytes.count)
    known.withLock { $0[name] = bytes }
    return bytes
  }
}
