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
    /// Whether media addresses are answered with a signature that is new every time, and no others
    /// give the bytes.
    package var signsMediaAddresses = false
    /// How long a signed media address is good for, in seconds.
    package var mediaLifetime = 900.0
    /// The folder for uploaded bytes, or `nil` to keep them in the database.
    package var mediaFolder: String?
    /// How long a token is good for, in seconds; 30 days.
    package var tokenLifetime = 2_592_000.0
    /// How long a token that only renews another is good for, in seconds; 7 days.
    package var renewalLifetime = 604_800.0
    /// How long an upload ticket is good for, in seconds.
    package var ticketLifetime = 3_600.0
    /// How often an account may do what.
    package var limits = Limits()
    /// Whether the items of a hero batch are held to the limits of a single hero; the app's own
    /// backend checks only their types.
    package var checksBatchLimits = true
    /// How long one item of a batch takes, in milliseconds.
    ///
    /// A batch that takes more than five seconds is rolled back. The time is counted, and not waited for.
    package var batchItemTime = 0
    /// Whether `/api/sync` takes rows of any shape; the app's own server reads the members that it knows,
    /// and refuses a whole push for one value that it cannot read.
    package var takesAnySyncRows = false
    /// Whether a tasting may have any tags; the app's own server refuses those that it does not know.
    package var takesAnyTags = false
    /// Whether a person has to accept the terms of service before tastings and all around them are taken.
    package var asksForTerms = false
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

extension DevelopmentBackend.Limits {
  private typealias Limits = DevelopmentBackend.Limits

  private static var names: [(name: String, path: WritableKeyPath<Limits, Int?>)] {
    [
      ("story-generations", \.storyGenerations), ("hero-creations", \.heroCreations),
      ("event-creations", \.eventCreations), ("changes", \.changes), ("batches", \.batches),
      ("reads", \.reads), ("upload-tickets", \.uploadTickets), ("sign-ins", \.signIns),
    ]
  }

  /// Takes a limit as a command line has it: `reads=100`.
  package mutating func set(parsing text: String) throws(DevelopmentBackendError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[1]), number >= 0,
      let path = Self.names.first(where: { $0.name == parts[0] })?.path
    else { throw .limit(text: text, names: Self.names.map(\.name)) }
    self[keyPath: path] = number
  }
}
