// without: HTTPTransport/Fetching/MediaFetcher.swift
// with: HTTPTransport/Transport
// options: -detect_leaks=0
import Changeset
import CloudKitWeb
import DestinationModel
import Dispatch
import Files
import HTTPTransport
import JSONText
import NIOHTTP1
import ProfileSettings
import Profiles
import REST
import Records
import Synchronization
import UploadPlanning

/// The destinations of the samples: REST in several manners, changesets, CloudKit, with a transport
/// that gives the answers of the input.
private let apis: [Api] = [
  "infinite-stories/profile.yaml", "infinite-stories/later.profile.yaml", "peated/profile.yaml",
  "kinto/profile.yaml", "datasette/profile.yaml", "collections/cocktails.profile.yaml",
  "noted/profile.yaml", "cloudkit/profile.yaml",
].map { name in
  do throws(ProfileError) {
    let profile = try Profile(yaml: contents(of: "Samples/\(name)"), path: name) { file in
      contents(of: "Samples/\(name.prefix { $0 != "/" })/\(file)")
    }
    guard let api = profile.api else { fatalError("no api in \(name)") }
    return api
  } catch {
    fatalError("\(name): \(error)")
  }
}

private func contents(of path: String) -> [UInt8] {
  do throws(FileError) {
    return try InputFile.contents(of: path)
  } catch {
    fatalError("\(error)")
  }
}

private let transport = HTTPTransport()

/// A destination that remembers nothing of the input before.
private func destination(_ api: Api) throws -> any Destination {
  let names = api.credentials + ["api-token", "web-token"]
  let source = GivenCredentials(
    Dictionary(names.map { ($0, Secret("secret")) }, uniquingKeysWith: { $1 })
  )
  let address = "https://api.example.com"
  let now: @Sendable () -> Double = { 1_800_000_000 }
  return switch api.kind.settings {
  case is CloudKitApi:
    try CloudKitDestination(
      api: api,
      address: address,
      credentials: source,
      transport: transport,
      now: now
    )
  case is ChangesetApi:
    try ChangesetDestination(
      api: api,
      address: address,
      credentials: source,
      transport: transport,
      now: now
    )
  default:
    try RESTDestination(
      api: api,
      address: address,
      credentials: source,
      transport: transport,
      now: now
    )
  }
}

extension FuzzTarget {
  /// The first two bytes choose a destination and what is asked of it, the rest are the answers.
  ///
  /// An answer begins with its status in a line, goes on with the lines of its header, and has its
  /// body behind an empty line; a byte 0x1E ends it. Whatever they say, nothing traps, no secret is
  /// reported, and outcomes are those of items that were sent.
  static let answer = FuzzTarget("answer") { input, report in
    guard input.count > 3 else { return report.rejectAsForeign() }
    let api = apis[Int(input[0]) % apis.count]
    let question = Int(input[1])
    transport.prepare(answers(input[2...]))
    let done = DispatchSemaphore(value: 0)
    let complaint = Mutex<String?>(nil)
    Task {
      let found = await ask(api, question)
      complaint.withLock { $0 = found }
      done.signal()
    }
    done.wait()
    if let found = complaint.withLock({ $0 }) { report.complain(found) }
  }
}

/// Asks, and gives what should not have happened.
private func ask(_ api: Api, _ question: Int) async -> String? {
  let entity = api.entities[(question / 8) % api.entities.count].entity
  do {
    let destination = try destination(api)
    switch question % 8 {
    case 0: _ = try await destination.account()
    case 1: _ = try await destination.accountNames()
    case 2: _ = try await destination.page(of: entity, after: nil, since: nil)
    case 3: _ = try await destination.record(of: entity, serverID: "1")
    case 4: _ = await destination.preflight()
    case 5: return await send(.create, to: destination, entity)
    case 6: return await send(.update, to: destination, entity)
    default: return await send(.delete, to: destination, entity)
    }
  } catch {
    if "\(error)".contains("secret") { return "an error reveals a secret" }
  }
  return nil
}

private func send(
  _ verb: OutgoingBatch.Verb,
  to destination: any Destination,
  _ entity: EntityName
) async -> String? {
  let items = (1...3).map { number in
    OutgoingBatch.Item(
      operation: Int64(number),
      record: RecordID(entity: entity, key: "\(number)"),
      clientID: "\(number)",
      serverID: verb == .create ? nil : "\(number)",
      version: verb == .create ? nil : "1",
      key: "key-\(number)",
      body: Array(#"{"id":"\#(number)","name":"Ada"}"#.utf8)
    )
  }
  let answer = await destination.send(OutgoingBatch(entity: entity, verb: verb, items: items))
  let known = Set(items.map(\.operation))
  return answer.outcomes.keys.allSatisfy(known.contains)
    ? nil : "an outcome of nothing that was sent"
}

private func answers(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> [Result<
  HTTPAnswer, HTTPFailure
>] {
  bytes.split(separator: 0x1E, maxSplits: 15).map { part in
    var rest = part
    func line() -> String {
      let line = rest.prefix { $0 != 0x0A }
      rest = rest[min(line.endIndex + 1, rest.endIndex)...]
      return String(decoding: line, as: UTF8.self)
    }
    guard let status = Int(line()), (100...999).contains(status) else {
      return .failure(.unknown(reason: "the answer cannot be read"))
    }
    var headers = HTTPHeaders()
    while !rest.isEmpty {
      let field = line()
      guard let colon = field.firstIndex(of: ":") else { break }
      headers.add(
        name: String(field[..<colon]),
        value: String(field[field.index(after: colon)...].drop { $0 == " " })
      )
    }
    return .success(HTTPAnswer(status: status, headers: headers, body: Array(rest)))
  }
}
