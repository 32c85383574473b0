import Foundation
package import JSONText

extension RealServer {
  /// Starts Kinto over its memory, or over the PostgreSQL database at an address.
  ///
  /// `program` is that of its environment; `settings` are further lines of its configuration.
  package static func kinto(
    _ program: String,
    in folder: String,
    database: String? = nil,
    settings: String = ""
  ) throws -> RealServer {
    let ini = "\(folder)/kinto.ini"
    try Data(kintoConfiguration(database, settings).utf8).write(to: URL(filePath: ini))
    if database != nil { _ = try output(program, ["migrate", "--ini", ini]) }
    return try RealServer(
      program,
      ["start", "--ini", ini, "--port", "{port}"],
      in: folder,
      answersAt: "/v1/__heartbeat__"
    )
  }

  /// Makes an account of Kinto's own.
  package func addKintoAccount(_ name: String, password: String) throws {
    _ = try Self.get(
      "\(origin)/v1/accounts/\(name)",
      [
        "--request", "PUT", "--header", "Content-Type: application/json",
        "--data", #"{"data":{"password":"\#(password)"}}"#,
      ]
    )
  }

  /// Starts Datasette over a new database `stories.db` with these tables.
  package static func datasette(
    _ program: String,
    in folder: String,
    tables: String
  ) throws -> RealServer {
    _ = try output(
      "/usr/bin/env",
      [
        "python3", "-c",
        "import sqlite3,sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])",
        "\(folder)/stories.db", tables,
      ]
    )
    let permissions = #"{"insert-row":{"id":"root"},"update-row":{"id":"root"},"#
    let settings = #"{"permissions":\#(permissions)"delete-row":{"id":"root"}}}"#
    try Data(settings.utf8).write(to: URL(filePath: "\(folder)/settings.json"))
    return try RealServer(
      program,
      [
        "serve", "\(folder)/stories.db", "--config", "\(folder)/settings.json", "--secret", "S",
        "--port", "{port}",
      ],
      in: folder,
      answersAt: "/-/versions.json"
    )
  }

  /// Starts a server for the sample store, written with Django REST framework, which `python` has.
  ///
  /// Its two users have the tokens `drf-token` and `other-token`. With `isJSONAPI` it speaks JSON:API.
  package static func django(
    _ python: String,
    in folder: String,
    isJSONAPI: Bool = false
  ) throws -> RealServer {
    try RealServer(
      python,
      [ServerScript.path("django_server.py"), folder, "{port}"] + (isJSONAPI ? ["json-api"] : []),
      in: folder,
      answersAt: "/health"
    )
  }

  /// Starts a simulated Supabase over a new database with these tables, in JSON as `supabase_server.py`
  /// takes them.
  ///
  /// Its users are `dev@example.com` (`password1`) and `other@example.com` (`password2`), its keys `anon-key` and
  /// `service-key`.
  package static func supabase(tables: String, in folder: String) throws -> RealServer {
    try Data(tables.utf8).write(to: URL(filePath: "\(folder)/tables.json"))
    return try RealServer(
      "/usr/bin/env",
      ["python3", ServerScript.path("supabase_server.py"), folder, "{port}"],
      in: folder,
      answersAt: "/health"
    )
  }

  /// Starts a stand-in that is written from a backend's documentation, with its data in the folder; `/__seen` says
  /// how many requests came.
  package static func standIn(
    _ script: String,
    in folder: String,
    interpreter: String = "python3",
    arguments: [String] = []
  ) throws -> RealServer {
    try RealServer(
      "/usr/bin/env",
      [interpreter, ServerScript.path(script), folder, "{port}"] + arguments,
      in: folder,
      answersAt: "/__seen"
    )
  }

  /// Starts PocketBase over a new database, with the user `dev@example.com` and these collections, in JSON as
  /// `PUT /api/collections/import` takes them; with `takesBatches`, fifty requests go in one.
  ///
  /// Tokens of users live for `tokenSeconds`, 10 at least; for PocketBase's usual time unless given.
  package static func pocketbase(
    _ program: String,
    in folder: String,
    collections: String,
    takesBatches: Bool = false,
    tokenSeconds: Int? = nil
  ) throws -> RealServer {
    let data = "\(folder)/pocketbase"
    _ = try output(
      program,
      ["superuser", "upsert", "admin@example.com", "secret12345", "--dir", data]
    )
    let server = try RealServer(
      program,
      ["serve", "--http", "127.0.0.1:{port}", "--dir", data],
      in: folder,
      answersAt: "/api/health"
    )
    let admin = #"{"identity":"admin@example.com","password":"secret12345"}"#
    let token = try server.send("POST", "collections/_superusers/auth-with-password", admin)[
      "token"
    ]
    let user = #"{"email":"dev@example.com","password":"password1","passwordConfirm":"password1"}"#
    _ = try server.send("POST", "collections/users/records", user, token?.text)
    _ = try server.send("PUT", "collections/import", "@\(collections)", token?.text)
    if takesBatches {
      let batches = #"{"batch":{"enabled":true,"maxRequests":50,"timeout":10}}"#
      _ = try server.send("PATCH", "settings", batches, token?.text)
    }
    if let tokenSeconds {
      let life = #"{"authToken":{"duration":\#(tokenSeconds)}}"#
      _ = try server.send("PATCH", "collections/users", life, token?.text)
    }
    return server
  }

  /// How many records collections of PocketBase have, read as its administrator.
  package func pocketbaseCount(of collections: [String]) throws -> Int {
    let token = try pocketbaseToken()
    return try collections.reduce(0) { sum, name in
      let page = try send("GET", "collections/\(name)/records?perPage=1", nil, token)
      return sum + Int(page["totalItems"]?.integer ?? 0)
    }
  }

  /// The records of a collection of PocketBase, 500 at most, read as its administrator.
  package func pocketbaseRecords(of collection: String) throws -> [JSONValue] {
    let token = try pocketbaseToken()
    let page = try send("GET", "collections/\(collection)/records?perPage=500", nil, token)
    return page["items"]?.array ?? []
  }

  /// A token of PocketBase's administrator.
  package func pocketbaseToken() throws -> String {
    let admin = #"{"identity":"admin@example.com","password":"secret12345"}"#
    let answer = try send("POST", "collections/_superusers/auth-with-password", admin)
    guard let token = answer["token"]?.text else {
      throw TestSupportError("PocketBase gave its administrator no token")
    }
    return token
  }

  private func send(
    _ method: String,
    _ path: String,
    _ body: String?,
    _ token: String? = nil
  ) throws -> JSONValue {
    var flags = ["--request", method, "--header", "Content-Type: application/json"]
    if let body { flags += ["--data", body] }
    if let token { flags += ["--header", "Authorization: \(token)"] }
    return try Self.get("\(origin)/api/\(path)", flags)
  }

  /// Sits in front of a server, and keeps back every answer of that number to a request that may change
  /// something; ``lostCount()`` says how many it was.
  package static func losing(
    _ number: Int,
    before origin: String,
    in folder: String
  ) throws -> RealServer {
    let script = ServerScript.path("lossy_proxy.py")
    return try RealServer(
      "/usr/bin/env",
      ["python3", script, "{port}", origin, "\(number)"],
      in: folder,
      answersAt: "/__lost"
    )
  }

  /// How many answers a proxy kept back that loses them.
  package func lostCount() throws -> Int {
    Int(try Self.get("\(origin)/__lost")["lost"]?.integer ?? 0)
  }

  /// How many requests that may change something came to such a proxy, sign-ins left out.
  package func writeCount() throws -> Int {
    let counts = try Self.get("\(origin)/__lost")
    return Int((counts["writes"]?.integer ?? 0) - (counts["signins"]?.integer ?? 0))
  }

  /// A token that may change every row.
  package static func datasetteToken(_ program: String) throws -> String {
    try output(program, ["create-token", "root", "--secret", "S"])
  }

  private static func kintoConfiguration(_ database: String?, _ settings: String) -> String {
    let kind = database == nil ? "memory" : "postgresql"
    let address =
      database.map {
        "kinto.storage_url = \($0)\nkinto.permission_url = \($0)\nkinto.storage_pool_size = 10"
      } ?? ""
    return """
      [server:main]
      use = egg:waitress#main
      host = 127.0.0.1
      port = %(http_port)s
      threads = 4
      [app:main]
      use = egg:kinto
      kinto.userid_hmac_secret = for-tests
      kinto.storage_backend = kinto.core.storage.\(kind)
      kinto.cache_backend = kinto.core.cache.memory
      kinto.permission_backend = kinto.core.permission.\(kind)
      \(address)
      multiauth.policies = account
      multiauth.policy.account.use = kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy
      kinto.account_create_principals = system.Everyone
      kinto.bucket_create_principals = system.Authenticated
      kinto.includes = kinto.plugins.default_bucket kinto.plugins.accounts
      \(settings)
      [loggers]
      keys = root
      [handlers]
      keys = console
      [formatters]
      keys = generic
      [logger_root]
      level = WARNING
      handlers = console
      [handler_console]
      class = StreamHandler
      args = (sys.stderr,)
      formatter = generic
      [formatter_generic]
      format = %(message)s
      """
  }
}
