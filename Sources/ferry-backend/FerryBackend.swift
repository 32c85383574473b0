import ArgumentParser
import DevelopmentBackend
import Foundation
import Migration
import Reports

/// `ferry backend`: the development backend, for a first run and for tests.
struct BackendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backend",
    abstract: "Start the development backend: a real server over SQLite, on loopback.",
    discussion: """
      ferry backend --port 8080
      ferry backend --port-file port --fault drop-after:3

      It has the routes of InfiniteStories as the app's real backend behaves, and generic
      collections beside them. It can be told to misbehave: --fault drop-after:3 commits every
      third request and then closes the connection without an answer.

      FAULTS
        drop-before:N  drop-after:N  delay:N:300ms  status:N:503  status:N:429:retry-after=2
        html:N  truncate:N  pretend:N  lose:n=N   each with @METHOD /path-prefix if wanted
      """
  )

  @Option(help: "The port to listen on; 0 takes any free one.")
  var port = 0

  @Option(
    help: "The SQLite file to keep everything in; in memory unless given.",
    completion: .file()
  )
  var database: String?

  @Option(help: "A file to write the port to, once the server listens.", completion: .file())
  var portFile: String?

  @Option(
    name: .customLong("fault"),
    help: "What goes wrong, and when; may be given several times."
  )
  var faults: [String] = []

  @Flag(help: "Offer the upload tickets of the app's design.")
  var uploadTickets = false

  @OptionGroup var shared: SharedOptions

  func run() async throws {
    let screen = shared.screen()
    do {
      var configuration = DevelopmentBackend.Configuration()
      configuration.port = port
      configuration.databasePath = database
      configuration.portFile = portFile
      configuration.uploadTickets = uploadTickets
      configuration.faults = try FaultPlan(parsing: faults.joined(separator: "\n"))
      let backend = try DevelopmentBackend(configuration: configuration)
      try await backend.run { port in
        screen.say("listening on http://127.0.0.1:\(port)")
        screen.say("sign in as demo@example.com with the password correct-horse; Ctrl-C ends it")
      }
    } catch {
      screen.warn("ferry: \(error)".plainForTerminal)
      throw CommandExit(status: .failure)
    }
  }
}
