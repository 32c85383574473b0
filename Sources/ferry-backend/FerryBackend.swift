import ArgumentParser
import CBuildMark
import CSQLite
import DevelopmentBackend
import Files

/// `ferry-backend`: the development backend, for a first run and for tests.
@main
struct FerryBackend: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ferry-backend",
    abstract: "Start the development backend: a real server over SQLite, on loopback.",
    discussion: """
      ferry-backend --port 8080
      ferry-backend --port-file port --fault drop-after:3

      It has the routes of InfiniteStories, Noted and Peated as the apps' real
      backends behave, and generic collections beside them. It can be asked to
      misbehave: --fault drop-after:3 commits every third request and then
      closes the connection without an answer.

      FAULTS
        drop-before:N  drop-after:N  delay:N:300ms  html:N  truncate:N  pretend:N
        status:N:503  status:N:429:retry-after=2  lose:n=N
        each with @METHOD /path-prefix if wanted
      """,
    version: String(cString: ferry_build_mark())
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

  @Flag(
    help: "Offer the upload tickets of the design of InfiniteStories; its real backend has none."
  )
  var uploadTickets = false

  @Flag(help: "Answer media addresses that are signed and expire, and refuse all others.")
  var signMedia = false

  @Option(help: "How long a signed media address is good for, in seconds.")
  var mediaLifetime = 900.0

  @Option(help: "How long a token is good for, in seconds; 30 days unless given.")
  var tokenLifetime = 2_592_000.0

  @Option(
    name: .customLong("limit"),
    help:
      "The most requests of a kind that an account may send in an hour, as in reads=100; repeatable."
  )
  var limits: [String] = []

  @Option(
    help: """
      How long each item of a batch takes, in milliseconds. A batch of more than five seconds is \
      rolled back, as Prisma does. The time is counted, and not waited for.
      """
  )
  var batchItemTime = 0

  @Flag(help: "Refuse tastings and all around them until the terms of service are accepted.")
  var askForTerms = false

  @Flag(help: "Take tags of tastings that are not known.")
  var anyTags = false

  @Flag(help: "Take rows of any shape at /api/sync, which Noted's real server does not.")
  var anySyncRows = false

  @Flag(name: [.short, .long], help: "Say only what went wrong.")
  var quiet = false

  static func main() async {
    StandardStream.provide()
    CoreDumps.prevent()
    OwnerRights.keep()
    // A server holds more connections than some systems allow at first.
    _ = OpenFiles.provide()
    // Threads that use SQLite would wait for each other at each piece of memory that it counts.
    _ = ferry_sqlite3_count_no_memory()
    await main(nil)
  }

  func run() async throws {
    let isQuiet = quiet
    do {
      var configuration = DevelopmentBackend.Configuration()
      configuration.port = port
      configuration.databasePath = database
      configuration.portFile = portFile
      configuration.uploadTickets = uploadTickets
      configuration.signsMediaAddresses = signMedia
      configuration.mediaLifetime = mediaLifetime
      configuration.tokenLifetime = tokenLifetime
      configuration.batchItemTime = batchItemTime
      configuration.asksForTerms = askForTerms
      configuration.takesAnyTags = anyTags
      configuration.takesAnySyncRows = anySyncRows
      for limit in limits { try configuration.limits.set(parsing: limit) }
      configuration.faults = try FaultPlan(parsing: faults.joined(separator: "\n"))
      let backend = try DevelopmentBackend(configuration: configuration)
      try await backend.run { port in
        guard !isQuiet else { return }
        Self.say("listening on http://127.0.0.1:\(port)")
        Self.say("sign in as demo@example.com with the password correct-horse; Ctrl-C ends it")
      }
    } catch {
      Self.say("ferry-backend: \(error)")
      throw ExitCode.failure
    }
  }

  /// Writes a line on standard error; one that cannot be written is left out.
  private static func say(_ text: String) {
    try? StandardStream.error.write(Array("\(text)\n".utf8))
  }
}
