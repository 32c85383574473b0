package import Logging

extension DevelopmentBackend {
  /// How one server is set up: where it listens, what it keeps, how it misbehaves.
  package struct Configuration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 takes any free one.
    package var port = 0
    /// The SQLite file, or `nil` to keep everything in memory.
    package var databasePath: String?
    /// The accounts that exist from the start; those already in the file stay as they are.
    package var accounts = [Account.example]
    /// What goes wrong, and when.
    package var faults = FaultPlan()
    /// Asked before the plan of faults what becomes of a request, by anyone who serves in its own process.
    package var judge: (@Sendable (_ received: ReceivedRequest) -> RequestFate)?
    /// Whether the upload tickets of `/api/files` are to be had.
    package var uploadTickets = false
    /// What every media address has to begin with, or `nil` for `<this origin>/media`.
    package var publicMediaAddress: String?
    /// Whether media addresses are answered with a signature that is new every time.
    package var signsMediaAddresses = false
    /// The folder for uploaded bytes, or `nil` to keep them in the database.
    package var mediaFolder: String?
    /// How long a token is good for, in seconds; 30 days.
    package var tokenLifetime = 2_592_000.0
    /// How long an upload ticket is good for, in seconds.
    package var ticketLifetime = 3_600.0
    /// How often an account may do what.
    package var limits = Limits()
    /// Whether the items of a hero batch are held to the limits of a single hero; the app's own
    /// backend checks only their types.
    package var checksBatchLimits = true
    /// How the CloudKit databases behave.
    package var cloudKit = CloudKit()
    /// Where the port is written to once the server listens; the file appears whole.
    package var portFile: String?
    /// Where the server reports what it does; silent unless given.
    package var log = Logger(label: "development-backend") { _ in SwiftLogNoOpLogHandler() }

    package init() {}
  }

  /// A person who may sign in.
  package struct Account: Hashable, Sendable {
    package let email: String
    package let password: String

    /// The account that is there when no other is asked for.
    package static let example = Account(email: "demo@example.com", password: "correct-horse")

    package init(email: String, password: String) {
      self.email = email
      self.password = password
    }
  }

  /// How many requests of a kind an account has within one window; `nil` is without limit.
  package struct Limits: Hashable, Sendable {
    /// The length of the window, in seconds.
    package var window = 3_600.0
    /// Stories written by the machine, `POST /stories`.
    package var storyGenerations: Int? = 5
    /// Heroes created one by one.
    package var heroCreations: Int?
    /// Custom events created one by one.
    package var eventCreations: Int?
    /// Changes by `PATCH`.
    package var changes: Int?
    /// Batches, of heroes and of stories together.
    package var batches: Int?
    /// Reading requests.
    package var reads: Int?
    /// Upload tickets.
    package var uploadTickets: Int?
    /// Sign-ins within ten seconds, for all accounts together.
    package var signIns: Int?

    package init() {}
  }
}
