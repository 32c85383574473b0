import DestinationKinds
import DestinationModel
import Foundation
import HTTPTransport
import PostgreSQL
import Profiles
import Records
import REST
import Synchronization
import Testing
import TestSupport
import UploadPlanning

/// Answers with which the fuzzer found ways of their own through what reads them (`Tests/Fuzzing`).
struct AnswerCorpusTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fuzzing/corpora/answer").standardized

  /// In the order of the fuzzer's target.
  private static let profiles = [
    "infinite-stories/profile.yaml", "infinite-stories/later.profile.yaml", "peated/profile.yaml",
    "kinto/profile.yaml", "datasette/profile.yaml", "collections/cocktails.profile.yaml",
    "noted/profile.yaml", "cloudkit/profile.yaml",
  ]

  @Test func `found credentials are used or refused, and no secret is printed`() async throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).sorted()
    #expect(!names.isEmpty)
    for name in names {
      let bytes = Array(try Data(contentsOf: Self.corpus.appending(path: name)))
      guard bytes.count > 3 else { continue }
      let profile = Self.profiles[Int(bytes[0]) % Self.profiles.count]
      let place = URL(filePath: "\(Samples.folder)/\(profile)")
      let sample = try Profile(yaml: [UInt8](Data(contentsOf: place)), path: profile) { name in
        try? [UInt8](Data(contentsOf: place.deletingLastPathComponent().appending(path: name)))
      }
      let api = try #require(sample.api)
      let answers = Mutex(bytes[2...].split(separator: 0x1E, maxSplits: 15).map(Self.reply))
      try await ScriptedServer.run { _ in
        answers.withLock { $0.isEmpty ? .cut : $0.removeFirst() }
      } body: { server in
        let answer = try await Self.ask(api, at: server.address, Int(bytes[1]))
        #expect(!answer.contains("correct-horse"), "\(name)")
      }
    }
  }

  @Test func `every kind that a profile can name is opened`() {
    let opened = OpenableKinds(adding: [PostgreSQLDestination.self]).all.map { $0.kind.name }
    #expect(opened == Api.Kind.all.map { $0.name })
  }

  private static func reply(_ bytes: ArraySlice<UInt8>) -> ScriptedServer.Reply {
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
    var lines = parts[0].split(separator: "\n").map(String.init)
    guard let status = lines.first, Int(status) != nil else { return .raw(text) }
    let body = parts.count > 1 ? String(parts[1]) : ""
    lines[0] = "HTTP/1.1 \(status) Status"
    lines.append("Content-Length: \(body.utf8.count)")
    return .raw(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }

  /// Asks what the second byte says; gives what went wrong, in words.
  private static func ask(_ api: Api, at address: String, _ question: Int) async throws -> String {
    let transport = HTTPTransport()
    let names = api.credentials + ["api-token", "web-token"]
    let credentials = GivenCredentials(
      Dictionary(names.map { ($0, Secret("correct-horse")) }, uniquingKeysWith: { $1 })
    )
    var answer = ""
    do throws(DestinationError) {
      let place = DestinationPlace(
        api: api,
        address: address,
        credentials: credentials,
        transport: transport
      )
      let kind = OpenableKinds.ofApps.kind(of: api, at: address) ?? RESTDestination.self
      let destination: any Destination = try kind.init(place)
      let entity = api.entities[(question / 8) % api.entities.count].entity
      switch question % 8 {
      case 0: _ = try await destination.account()
      case 1: _ = try await destination.accountNames()
      case 2: _ = try await destination.page(of: entity, after: nil, since: nil)
      case 3: _ = try await destination.record(of: entity, serverID: "1")
      case 4: answer = "\(await destination.preflight())"
      case 5: answer = "\(await destination.send(batch(.create, entity)))"
      case 6: answer = "\(await destination.send(batch(.update, entity)))"
      default: answer = "\(await destination.send(batch(.delete, entity)))"
      }
    } catch {
      answer = "\(error)"
    }
    await transport.shutdown()
    return answer
  }

  private static func batch(_ verb: OutgoingBatch.Verb, _ entity: EntityName) -> OutgoingBatch {
    let items = (1...3).map { number in
      OutgoingBatch.Item.number(
        Int64(number),
        id: "\(number)",
        serverID: verb == .create ? nil : "\(number)",
        version: verb == .create ? nil : "1"
      )
    }
    return OutgoingBatch(entity: entity, verb: verb, items: items)
  }
}
