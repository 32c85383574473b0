import Foundation
import JSONText

/// A bucket of OpenStack Swift's S3 service, which is looked at by another way than S3.
///
/// All tests of a process share one server, and each has buckets of its own. The server takes seconds
/// to start: the first test that asks for it has it started. It ends when the process of the tests
/// ends, in whatever way that comes, and takes its files with it.
package struct ObjectStore: Sendable {
  /// The Python in whose environment OpenStack Swift is; `.ci/servers.sh` installs it.
  package static let python = ProcessInfo.processInfo.environment["FERRY_SWIFT"]

  package static let accessKey = "demo:tester"
  package static let secretKey = "s3cret-word"

  /// Where the server answers: `http://127.0.0.1:PORT`.
  package let origin: String
  /// The bucket's name.
  package let bucket: String

  /// An object of the bucket.
  package struct Object: Hashable, Sendable {
    package let key: String
    /// In bytes.
    package let size: Int
    /// The digest of what the server gives back.
    package let sha256: String
  }

  /// Makes an empty bucket.
  ///
  /// - Throws: What kept the server from starting, or from making it.
  package init() throws {
    origin = try Self.server.get().origin
    bucket = "media-\(UUID().uuidString.prefix(8).lowercased())"
    try ask("make", bucket)
  }

  package func objects() throws -> [Object] {
    try ask("list", bucket).map { row in
      Object(
        key: row["name"]?.text ?? "",
        size: Int(row["bytes"]?.integer ?? -1),
        sha256: row["sha256"]?.text ?? ""
      )
    }
  }

  /// The parts of large files by their names, with the moment at which each arrived.
  package func parts() throws -> [String: String] {
    var moments: [String: String] = [:]
    for row in try ask("list", "\(bucket)+segments") where (row["bytes"]?.integer ?? 0) > 0 {
      moments[row["name"]?.text ?? ""] = row["last_modified"]?.text ?? ""
    }
    return moments
  }

  package func remove(_ key: String) throws { try ask("remove", bucket, key) }

  /// Puts a file there that does not say who sent it.
  package func put(_ key: String, _ path: String) throws { try ask("put", bucket, key, path) }

  @discardableResult
  private func ask(_ words: String...) throws -> [JSONValue] {
    let answer = try RealServer.output(
      "/usr/bin/env",
      ["python3", "-c", Self.asking, origin, Self.accessKey, Self.secretKey] + words
    )
    return try JSONValue(parsing: answer).array ?? []
  }

  // MARK: - The server

  private static let server = Result { try started() }

  private static func started() throws -> RealServer {
    guard let python else { throw TestSupportError("FERRY_SWIFT is not set") }
    let script = ServerScript.path("object_store.py")
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "ferry-object-store-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try RealServer(
      python,
      [script, folder, "{port}", "attended"],
      in: folder,
      answersAt: "/info"
    )
  }

  private static let asking = """
    import hashlib, json, sys, time, urllib.error, urllib.parse, urllib.request
    origin, user, secret, verb, bucket, *rest = sys.argv[1:]
    def ask(method, address, headers, body=None):
        request = urllib.request.Request(address, method=method, headers=headers, data=body)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(answer.headers), answer.read()
    def patiently(*arguments):
        # The servers behind the one that answers may take a moment longer to start.
        for wait in range(60):
            try:
                return ask(*arguments)
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    raise
                time.sleep(0.5)
        return ask(*arguments)
    signed, _ = patiently("GET", origin + "/auth/v1.0", {"X-Auth-User": user, "X-Auth-Key": secret})
    token = {"X-Auth-Token": signed["X-Auth-Token"]}
    place = signed["X-Storage-Url"] + "/" + urllib.parse.quote(bucket)
    if verb == "make":
        patiently("PUT", place, token)
    elif verb == "remove":
        ask("DELETE", place + "/" + urllib.parse.quote(rest[0]), token)
    elif verb == "put":
        with open(rest[1], "rb") as file:
            ask("PUT", place + "/" + urllib.parse.quote(rest[0]), token, file.read())
    rows = []
    if verb == "list":
        try:
            rows = json.loads(ask("GET", place + "?format=json", token)[1] or "[]")
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
        for row in rows:
            body = ask("GET", place + "/" + urllib.parse.quote(row["name"]), token)[1]
            row["sha256"] = hashlib.sha256(body).hexdigest()
    print(json.dumps(rows))
    """
}

extension ObjectStore {
  /// A profile whose media files go into a bucket, made of one whose backend gives upload tickets.
  ///
  /// The bucket is opened with the credentials `s3-access-key` and `s3-secret-key`. Records name a file by
  /// its key at `address`.
  package static func profile(
    _ text: String,
    keepingFilesAt endpoint: String,
    in bucket: String,
    shownAt address: String
  ) throws -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let start = lines.firstIndex(of: "  media:"),
      let end = lines[start...].firstIndex(of: "  entities:")
    else { throw TestSupportError("the profile says nothing of media before its entities") }
    lines.replaceSubrange(
      start..<end,
      with: [
        "  media:", "    enabled: true", "    bucket:", "      endpoint: \(endpoint)",
        "      name: \(bucket)", "      region: us-east-1",
        "      key: '{category}/{account}/{sha256}'", "      address: '\(address)/{key}'",
        "      access-key: s3-access-key", "      secret-key: s3-secret-key",
        "      part-mebibytes: 5", "",
      ]
    )
    let joined = lines.joined(separator: "\n")
    let opened = joined.replacing(
      "  credentials: [email, password]",
      with: "  credentials: [email, password, s3-access-key, s3-secret-key]"
    )
    guard opened != joined else { throw TestSupportError("the profile names other credentials") }
    return opened
  }
}

extension RealServer {
  /// Is before an object store, and answers some requests itself.
  ///
  /// - Parameters:
  ///   - pattern: A regular expression, searched for in `METHOD /path?query`.
  ///   - status: What that request is answered with.
  ///   - answer: The XML that goes with it.
  ///   - origin: The object store.
  ///   - folder: Where its log may lie.
  /// - Returns: The proxy, which ends with the value.
  /// - Throws: What kept it from starting.
  package static func refusing(
    _ pattern: String,
    status: Int,
    answer: String,
    before origin: String,
    in folder: String
  ) throws -> RealServer {
    try existing(before: origin, in: folder, pattern, "\(status)", answer)
  }

  /// Is before an object store, and lets some requests wait.
  ///
  /// - Parameters:
  ///   - pattern: A regular expression, searched for in `METHOD /path?query`.
  ///   - file: As long as it is there, that request is not answered, and never arrives.
  ///   - origin: The object store.
  ///   - folder: Where its log may lie.
  /// - Returns: The proxy, which ends with the value.
  /// - Throws: What kept it from starting.
  package static func holding(
    _ pattern: String,
    while file: String,
    before origin: String,
    in folder: String
  ) throws -> RealServer { try existing(before: origin, in: folder, pattern, "hold", file) }

  private static func existing(
    before origin: String,
    in folder: String,
    _ words: String...
  ) throws -> RealServer {
    let script = ServerScript.path("refusing_proxy.py")
    let place = "\(folder)/proxy-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    return try RealServer(
      "/usr/bin/env",
      ["python3", script, "{port}", origin] + words,
      in: place,
      answersAt: "/info"
    )
  }
}
