import Foundation
import TestSupport
import Testing

/// A source with one large value: a database, a Realm file, a table or a file of JSON with 50 MiB in a row, or
/// a property list or preferences of Android with as many in a key; or with a list of a million numbers or of
/// large binaries, or with 50 texts of 1 MB in a row, or with a list of 200 texts of 300 kB.
struct LargeSource {
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case blob, text, realmblob, realmtext, xmlplist, binaryplist, textbinaryplist
    case csvtext, tsvtext, jsontext, jsonltext, androidtext
    case realmnumbers, realmblobs, fleecenumbers, jsonnumbers, texts, jsonltexts

    var testDescription: String { rawValue }
  }

  let kind: Kind
  let folder: String

  var path: String {
    switch kind {
    case .blob, .text, .texts: folder + "/large.sqlite"
    case .realmblob, .realmtext, .realmnumbers, .realmblobs: folder + "/large.realm"
    case .xmlplist, .binaryplist, .textbinaryplist: folder + "/large.plist"
    case .csvtext: folder + "/large.csv"
    case .tsvtext: folder + "/large.tsv"
    case .jsontext, .jsonnumbers: folder + "/large.json"
    case .jsonltext: folder + "/large.jsonl"
    case .jsonltexts: folder + "/photo.jsonl"
    case .androidtext: folder + "/large.xml"
    case .fleecenumbers: folder + "/large.cblite2"
    }
  }
  var package: String { folder + "/large.ferry" }

  init(_ kind: Kind, in folder: String) throws {
    self.kind = kind
    self.folder = folder
    try Self.python(["make", kind.rawValue, path])
  }

  /// The profile of the database, which sends the value as a field or as a file.
  func profile(asMedia: Bool = false) throws -> String {
    let member =
      asMedia
      ? "media: { picture: { from: picture, folder: Pictures, category: picture } }"
      : "fields: { picture: picture }"
    let body = asMedia ? "{ media: picture }" : "picture"
    let interface = """
      kind: rest
      account: { request: GET /me, member: id }
      media:
        enabled: \(asMedia)
        ticket: { request: POST /files, upload: uploadUrl, key: key, url: url }
      entities:
        photo:
          replay: id
          list: { request: GET /photos, items: items }
          read: { request: "GET /photos/{id}" }
          create: { request: "PUT /photos/{id}" }
          update: { request: "PUT /photos/{id}" }
          delete: { request: "DELETE /photos/{id}" }
          body: { id: id, picture: \(body) }
      """
    return try profile(interface, member)
  }

  /// The profile of the database for a destination that has this interface.
  func profile(_ interface: String, _ member: String = "fields: { picture: picture }") throws
    -> String
  {
    let indented = interface.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    let text = """
      ferry-profile: 1
      app: photos
      entities:
        photo:
          identity: { attribute: id }
          \(member)
      api:
      \(indented)
      """
    try text.save(to: folder + "/profile.yaml")
    return folder + "/profile.yaml"
  }

  /// Exports the source with a draft, whose schema may be changed.
  func export(to package: String, changing change: (String) -> String = { $0 }) throws {
    let draft = folder + "/draft"
    _ = try peak(["init", path, "-o", draft])
    let names = try FileManager.default.contentsOfDirectory(atPath: draft)
    for name in names where name.hasSuffix(".schema.json") && name.contains("photo") {
      try change(String(at: "\(draft)/\(name)")).save(to: "\(draft)/\(name)")
    }
    _ = try peak(["export", path, "--profile", draft + "/profile.yaml", "-o", package])
  }

  /// Runs the program to its end; gives the exit status and the peak of its resident memory in MiB.
  func peak(_ words: [String]) throws -> (status: Int, mebibytes: Double) {
    let printed = try Self.python(["run", try FerryProgram().path, folder + "/state"] + words)
    let numbers = printed.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard numbers.count == 2 else { throw TestSupportError("not measured: \(printed)") }
    return (Int(numbers[0]), numbers[1])
  }

  /// Which value the record of ``LargeServer`` has, byte for byte: `made`, `changed` or another.
  func held(at server: LargeServer) throws -> String { try held(in: server.records + "/2") }

  /// Which value the record in a file has.
  func held(in file: String) throws -> String {
    try Self.python(["held", kind.rawValue, file]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Changes the value in the store by its last byte.
  func change() throws { try Self.python(["change", kind.rawValue, path]) }

  /// Removes the record with the large value from the store.
  func remove() throws { try Self.python(["remove", path]) }

  /// Whether a package, the source's own unless named, holds the value byte for byte.
  func isWhole(in other: String? = nil) throws -> Bool {
    try Self.python(["same", kind.rawValue, other ?? package]).hasPrefix("True")
  }

  @discardableResult
  private static func python(_ words: [String]) throws -> String {
    let script = ServerScript.path("large_values.py")
    return try Python.run(["-B", script] + words)
  }
}

/// A server that keeps each record as the bytes that came.
struct LargeServer {
  private let server: RealServer
  /// The folder of its records, each under its identity.
  let records: String

  var origin: String { server.origin }

  init(in folder: String) throws {
    records = folder + "/records"
    let script = ServerScript.path("large_server.py")
    server = try RealServer(
      "/usr/bin/env",
      ["python3", "-B", script, "{port}", records],
      in: folder,
      answersAt: "/me"
    )
  }
}
