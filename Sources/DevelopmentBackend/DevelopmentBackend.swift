import Files
import Foundation
import Hummingbird
import NIOCore
import Synchronization

/// A real HTTP server over SQLite, for first runs and for tests, that can be asked to misbehave.
///
/// Under one origin it serves the heroes and stories of an app as that app's own backend does
/// (`/api/v1`, `/api/batch`, `/api/auth`), upload tickets when asked to (`/api/files`), collections
/// of any JSON under ids that the client chooses (`/collections`), and what tests need (`/__dev`).
/// What it has answered is on disk: after `kill -9` and a restart with the same file the rows are
/// there and the tokens are good.
package struct DevelopmentBackend: Sendable {
  private let configuration: Configuration
  private let routes: Routes

  /// Opens the database and makes the accounts that are missing; does not listen yet.
  package init(configuration: Configuration = Configuration()) throws(DevelopmentBackendError) {
    self.configuration = configuration
    let storage = try Storage(path: configuration.databasePath)
    do {
      try storage.prepare { transaction in
        for account in configuration.accounts
        where try transaction.account(email: account.email) == nil {
          try transaction.createAccount(email: account.email, password: account.password)
        }
      }
    } catch {
      throw .database(path: configuration.databasePath, reason: "\(error)")
    }
    routes = Routes(
      storage: storage,
      observation: Observation(faults: configuration.faults),
      configuration: configuration,
      media: try MediaStore(folder: configuration.mediaFolder)
    )
  }

  /// Serves until the task is cancelled, and prints the port once it listens.
  ///
  /// `onReady` may itself speak to the server; it is cancelled when the server ends.
  package func run(
    onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
  ) async throws(DevelopmentBackendError) {
    let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
    async let _: Void = {
      for await port in ports { await onReady(port) }
    }()
    let result = await serve { announcement.yield($0) }
    announcement.finish()
    try result.get()
  }

  private func serve(
    _ announce: @escaping @Sendable (Int) -> Void
  ) async -> Result<Void, DevelopmentBackendError> {
    let fault = Mutex<DevelopmentBackendError?>(nil)
    let application = Application(
      router: routes.router(),
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port),
        serverName: nil
      ),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? configuration.port
        do throws(DevelopmentBackendError) {
          try writePort(port)
          announce(port)
        } catch {
          fault.withLock { $0 = error }
          channel.close(promise: nil)
        }
      },
      logger: configuration.log
    )
    do {
      try await application.run()
    } catch {
      // To be cancelled is how a server ends; anything else kept it from listening.
      if fault.withLock({ $0 }) == nil, !(error is CancellationError), !Task.isCancelled {
        let reason = DevelopmentBackendError.listening(
          host: configuration.host,
          port: configuration.port,
          reason: "\(error)"
        )
        return .failure(reason)
      }
    }
    return fault.withLock { $0 }.map { .failure($0) } ?? .success(())
  }

  /// Writes the port under a temporary name and renames it, so that a reader sees it whole.
  private func writePort(_ port: Int) throws(DevelopmentBackendError) {
    guard let path = configuration.portFile else { return }
    do throws(FileError) {
      try WholeFile.replace(path, with: Array("\(port)\n".utf8))
    } catch {
      throw .portFile(path: path, reason: "\(error)")
    }
  }
}
