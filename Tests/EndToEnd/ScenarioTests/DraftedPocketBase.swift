import Foundation
import JSONText
import TestSupport
import Testing

/// Lends PocketBase with collections as a team would make them for the sample store, and the profile that
/// `ferry init --preset pocketbase` drafts, unchanged.
func withDraftedPocketBase(_ body: (RealServerScenario) async throws -> Void) async throws {
  try await withDraftedPocketBase { folder in
    try Samples.infiniteStories.copied(into: folder).store
  } body: { scenario, _ in
    try await body(scenario)
  }
}

/// What PocketBase has of each entity of a drafted profile.
struct DraftedCollections {
  let server: RealServer
  fileprivate let names: [String: String]

  /// How many records.
  func counts() throws -> [String: Int] {
    try names.mapValues { try server.pocketbaseCount(of: [$0]) }
  }

  func records(of entity: String) throws -> [JSONValue] {
    try server.pocketbaseRecords(of: try #require(names[entity]))
  }

  /// What the records of an entity have in a field of text, where that is not empty.
  func texts(of entity: String, _ field: String) throws -> [String] {
    try records(of: entity).compactMap { $0[field]?.text }.filter { !$0.isEmpty }
  }
}

/// The same for any store named `default`, which `place` puts into a folder; what the server has of each entity
/// is told as well.
func withDraftedPocketBase(
  takesBatches: Bool = false,
  of place: (_ folder: String) throws -> String,
  body: (RealServerScenario, DraftedCollections) async throws -> Void
) async throws {
  let program = try #require(Servers.pocketbase)
  try await withTemporaryFolder { folder in
    let store = try place(folder)
    let draft = "\(folder)/draft"
    let ferry = try FerryProgram()
    let drafted = try await ferry.run(
      ["init", store, "--preset", "pocketbase", "-o", draft],
      state: "\(folder)/state"
    )
    #expect(drafted.status == 0, "\(drafted.standardError)")
    let shown = try await ferry.run(
      ["profile", "show", "\(draft)/profile.yaml", "--format", "ndjson"],
      state: "\(folder)/state"
    )
    let profile = try JSONValue(parsing: String(shown.standardOutput.prefix { $0 != "\n" }))
    let entities = try #require(profile["api"]?["entities"]?.object)
    let collections = try entities.members.map { try collection($0.name, $0.value, in: draft) }
    let document: JSONValue = ["collections": .array(collections), "deleteMissing": false]
    let file = "\(folder)/collections.json"
    try document.canonicalText.write(toFile: file, atomically: true, encoding: .utf8)
    let server = try RealServer.pocketbase(
      program,
      in: folder,
      collections: file,
      takesBatches: takesBatches
    )
    try secret("dev@example.com", "\(folder)/user")
    try secret("password1", "\(folder)/password")
    let scenario = RealServerScenario(
      folder: folder,
      store: store,
      flags: [
        "--profile", "\(draft)/profile.yaml", "--to", server.origin,
        "--credential", "user=file:\(folder)/user",
        "--credential", "password=file:\(folder)/password",
      ],
      count: { try server.pocketbaseCount(of: collections.compactMap { $0["name"]?.text }) }
    )
    let names = zip(entities.names, collections.compactMap { $0["name"]?.text })
    try await body(
      scenario,
      DraftedCollections(server: server, names: Dictionary(uniqueKeysWithValues: names))
    )
  }
}

/// A collection with PocketBase's own ID, and a field of the usual type for each that an entity sends.
private func collection(
  _ entity: String,
  _ api: JSONValue,
  in draft: String
) throws -> JSONValue {
  let file = "\(draft)/default.\(entity).v1.schema.json"
  let schema = try JSONValue(parsing: String(contentsOfFile: file, encoding: .utf8))
  let route = try #require(api["list"]?["request"]?.text)
  var fields: [JSONValue] = [
    ["name": "updated", "type": "autodate", "onCreate": true, "onUpdate": true]
  ]
  for (name, rule) in (api["body"]?.object?.members ?? []).map({ ($0.name, $0.value) })
  where name != "id" {
    let source = rule["field"]?.text ?? rule["reference"]?.text
    let member = source.flatMap { schema["properties"]?[$0] }
    let type = rule["file"] == nil ? fieldType(member) : "file"
    var field: JSONObject = ["name": .string(name), "type": .string(type)]
    if type == "text" { field["max"] = 5_000_000 }
    if type == "file" { field["maxSize"] = 50_000_000 }
    fields.append(.object(field))
  }
  let rule: JSONValue = "@request.auth.id != ''"
  return [
    "name": .string(String(route.split(separator: "/")[3])), "type": "base",
    "fields": .array(fields), "listRule": rule, "viewRule": rule, "createRule": rule,
    "updateRule": rule, "deleteRule": rule,
  ]
}

/// The type of a PocketBase field for values of a schema.
private func fieldType(_ schema: JSONValue?) -> String {
  guard let schema else { return "text" }
  if schema["x-holds"] == "date" { return "date" }
  let types = schema["type"]?.array?.compactMap(\.text) ?? [schema["type"]?.text ?? ""]
  if types.contains("string") { return "text" }
  // PocketBase makes 0 of no number, so one that may be absent is JSON.
  return switch types {
  case ["boolean"]: "bool"
  case ["integer"], ["number"]: "number"
  default: "json"
  }
}
