import CloudKitWeb
import DestinationModel
import DevelopmentBackend
import HTTPTransport
import JSONText
import Profiles
import Records
import Synchronization
import Testing
import UploadPlanning

/// A CloudKit container with one record type.
enum CloudSample {
  static func api(
    database: String = "private",
    environment: String = "development",
    zone: String? = "UserDataZone",
    makesZone: Bool = true,
    batch: Int = 200
  ) throws -> Api {
    let place =
      database == "private"
      ? zone.map { "zone: \($0)\n  create-zone: \(makesZone)" } ?? "" : ""
    let yaml = """
      ferry-profile: 1
      app: cloud-sample
      entities:
        Result: { fields: { score: score } }
      api:
        kind: cloudkit
        container: iCloud.sample
        environment: \(environment)
        database: \(database)
        \(place)
        batch: \(batch)
        timeout: 30s
        entities:
          Result:
            record-type: GameResult
            types:
              score: int64
              date: timestamp
              completed: boolean
              parsed: json
              share: string
              game: reference
              tags: string-list
              ratio: double
            body:
              score: score
              date: date
              completed: completed
              parsed: parsed
              share: share
              game: game
              tags: tags
              ratio: ratio
            unmapped: [id]
      """
    return try #require(try Profile(yaml: yaml, path: "cloud.yaml").api)
  }

  static let body: JSONValue = [
    "score": 9_007_199_254_740_993, "date": "2026-01-02T03:04:05.678Z", "completed": true,
    "parsed": ["puzzle": "1", "list": [1, 2.5]], "share": "Wordle 1 3/6 🟩", "tags": ["a", "b"],
    "ratio": 0.1,
  ]
}

/// Web tokens in memory, as a file would hold them.
final class TokenKeeper: CredentialSource {
  private let secrets: Mutex<[String: Secret]>
  private let saved = Mutex<[String]>([])
  private let isFull: Bool

  init(api: String = "development-api-token", web: String, isFull: Bool = false) {
    secrets = Mutex(["api-token": Secret(api), "web-token": Secret(web)])
    self.isFull = isFull
  }

  /// The tokens that were written down, in their order.
  var history: [String] { saved.withLock { $0 } }

  func credentials(
    named names: [String]
  ) async throws(DestinationError) -> [String: Secret] {
    secrets.withLock { secrets in secrets.filter { names.contains($0.key) } }
  }

  func canReplace(_ name: String) -> Bool { name == "web-token" }

  func replace(_ name: String, with secret: Secret) async throws(DestinationError) {
    if isFull { throw .misconfigured(reason: "the disk is full", cure: "free space") }
    secrets.withLock { $0[name] = secret }
    saved.withLock { $0.append(secret.exposed) }
  }

  func put(_ text: String) { secrets.withLock { $0["web-token"] = Secret(text) } }
}

/// Runs a development backend for as long as `body` needs its address.
func withDevelopmentBackend(
  _ configuration: DevelopmentBackend.Configuration = .init(),
  body: @escaping @Sendable (String) async throws -> Void
) async throws {
  let backend = try DevelopmentBackend(configuration: configuration)
  let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
  try await withThrowingTaskGroup(of: Bool.self) { group in
    group.addTask {
      defer { continuation.finish() }
      try await backend.run { continuation.yield($0) }
      return false
    }
    group.addTask {
      for await port in ports {
        try await body("http://127.0.0.1:\(port)")
        return true
      }
      return false
    }
    let isDone = try await group.next()
    #expect(isDone == true)
    group.cancelAll()
  }
}

/// Asks a development server for something.
func ask(_ address: String, _ path: String, _ body: JSONValue = [:]) async throws -> JSONValue {
  let transport = HTTPTransport()
  let answer = try await transport.perform(
    HTTPRequest(method: "POST", url: address + path, body: .json(body.canonicalBytes))
  )
  await transport.shutdown()
  return try JSONValue(parsing: answer.body)
}

/// A development backend with a fresh web token, and a destination that uses it.
func withCloud(
  faults: String = "",
  api: Api? = nil,
  change: (inout DevelopmentBackend.Configuration) -> Void = { _ in },
  body: @escaping @Sendable (CloudKitDestination, TokenKeeper, String) async throws -> Void
) async throws {
  var configuration = DevelopmentBackend.Configuration()
  configuration.faults = try FaultPlan(parsing: faults)
  change(&configuration)
  let api = try api ?? CloudSample.api()
  try await withDevelopmentBackend(configuration) { address in
    let token = try await ask(address, "/__dev/cloudkit/token")["webToken"]?.text
    let keeper = TokenKeeper(web: try #require(token))
    try await withCloudDestination(at: address, api, keeper) { destination in
      try await body(destination, keeper, address)
    }
  }
}

/// Gives a destination at an address, and closes its connections afterwards.
func withCloudDestination(
  at address: String,
  _ api: Api,
  _ credentials: any CredentialSource,
  now: (@Sendable () -> Double)? = nil,
  body: (CloudKitDestination) async throws -> Void
) async throws {
  try await withTransport { transport in
    let destination =
      if let now {
        try CloudKitDestination(
          api: api,
          address: address,
          credentials: credentials,
          transport: transport,
          now: now
        )
      } else {
        try CloudKitDestination(
          api: api,
          address: address,
          credentials: credentials,
          transport: transport
        )
      }
    try await body(destination)
  }
}

extension OutgoingBatch {
  static func results(_ verb: Verb, _ items: [Item]) -> OutgoingBatch {
    OutgoingBatch(entity: "Result", verb: verb, items: items)
  }
}

extension OutgoingBatch.Item {
  /// A result with a score, under a name that its number gives.
  static func result(_ number: Int64, score: Int64 = 3) -> OutgoingBatch.Item {
    .number(number, id: "r\(number)", body: ["score": .number(JSONNumber(score))])
  }
}
