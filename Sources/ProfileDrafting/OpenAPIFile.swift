package import DestinationModel
import JSONText
package import ProfileSettings
package import Profiles

/// A description of a backend in OpenAPI 3, as a file has it: JSON or YAML.
package struct OpenAPIFile: Sendable {
  /// The collections, as a server that shows the same description has them.
  package let schema: RemoteSchema
  /// The whole address that the description names first; `nil` where its first one is not whole.
  package let server: String?
  private let name: String
  /// What comes before each path, where the first address is a path alone.
  private let base: String
  private let root: JSONValue

  /// Whether a person names a description, and no address: neither of a server nor of a folder (`file:PATH`).
  package static func isNamed(by text: String) -> Bool {
    guard !text.contains("://"), !text.hasPrefix("file:") else { return false }
    return text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../")
      || [".json", ".yaml", ".yml"].contains(where: text.lowercased().hasSuffix)
  }

  /// - Throws: `SchemaFault` for what is no such description, and for one at whose paths no records are made.
  package init(_ bytes: [UInt8], named name: String) throws(SchemaFault) {
    try SchemaRoute.AnswerForm.expectReadable(bytes)
    root = try Self.value(of: String(decoding: bytes, as: UTF8.self), named: name)
    guard root["openapi"]?.text?.hasPrefix("3.") == true else {
      throw SchemaFault("it is no description in OpenAPI 3: “openapi” is not 3.0 or later")
    }
    guard let schema = try SchemaRoute.Form.openAPI.schema(in: root),
      schema.collections.contains(where: { $0.path != nil })
    else { throw SchemaFault("records are made at none of its paths") }
    self.schema = schema
    self.name = name
    let server = root["servers"]?.array?.first?["url"]?.text
    self.server = server.flatMap { $0.contains("://") && !$0.contains("{") ? $0 : nil }
    let isPath = server.map { $0.hasPrefix("/") && !$0.contains("{") } ?? false
    base = isPath ? "/" + (server ?? "").split(separator: "/").joined(separator: "/") : ""
  }

  /// A text that begins with a brace is JSON, and any other is YAML.
  private static func value(of text: String, named name: String) throws(SchemaFault) -> JSONValue {
    guard text.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }) == "{" else {
      let log = FaultLog(file: name)
      if let value = SettingNode.read(yaml: text, log: log)?.json, log.faults.isEmpty {
        return value
      }
      let fault = log.faults.first
      throw SchemaFault(
        "it cannot be read as YAML: line \(fault?.line ?? 1): \(fault?.cause ?? "it is empty")"
      )
    }
    do {
      return try JSONValue(parsing: text)
    } catch {
      throw SchemaFault("it cannot be read as JSON: \(error)")
    }
  }

  /// How the backend is spoken to, as far as the description says it; a person completes the rest.
  ///
  /// It is a preset of its own, which is written beside the profile.
  package func skeleton(given: GivenValues = .none) throws(ProfileError) -> PresetSummary {
    let bytes = Array(text.utf8)
    return try PresetSummary("./\(Self.fileName)", given: given) { file in
      file == Self.fileName ? bytes : nil
    }
  }

  private static let fileName = "rest.yaml"

  private var text: String {
    let address = "\(base == "/" ? "" : base)\(prefix)/{collection}"
    let known = knownField
    var lines = [
      "# A REST backend, drafted from \(name.plain). Look at each “To do” before records are sent.",
      "ferry-preset: 1", "title: A REST backend, drafted from a description in OpenAPI 3", "api:",
      "  kind: rest",
      "  # To do: how one signs in. Here, each request has a token that was got before.",
      "  credentials: [token]", #"  headers: { Authorization: "Bearer {token}" }"#,
      "  # To do: whose data it is: a route that says it, or { constant: NAME }.",
    ]
    if isSnakeCase { lines.append("  names: snake_case") }
    if known == "id" {
      let rules = schema.collections.filter { $0.has(known) }.compactMap {
        $0.field(named: known)?.rule
      }
      lines.append("  \((FieldRule.takenForm(by: rules) ?? .uuid).setting)")
    }
    lines += [
      "  conventions:",
      "    # A record is known at the server by this field, with which Ferry makes it.",
    ]
    if !schema.collections.contains(where: { $0.has(known) }) {
      lines.append(
        "    # To do: no collection takes such a field; a lost answer is settled by it alone."
      )
    }
    lines += [
      "    identity: { name: \(known) }", "    address: { name: \(known) }",
      "    date: { compare: instant }", "  defaults:",
      known == "id" ? "    replay: id" : "    natural-key: [\(known)]",
    ]
    lines += list(at: address)
    if hasItem("get") { lines.append("    read: { request: \"GET \(address)/{id}\" }") }
    lines += ["    create: { request: \"POST \(address)\" }"]
    if let change = ["patch", "put"].first(where: hasItem) {
      lines.append("    update: { request: \"\(change.uppercased()) \(address)/{id}\" }")
    }
    if hasItem("delete") { lines.append("    delete: { request: \"DELETE \(address)/{id}\" }") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The route that lists, with what all collections have in common.
  private func list(at address: String) -> [String] {
    let lists = schema.collections.compactMap(\.list)
    func common<Value: Hashable>(_ value: (RemoteSchema.ListShape) -> Value?) -> Value? {
      let found = Set(lists.map(value))
      return found.count == 1 ? found.first ?? nil : nil
    }
    var settings = ["request: \"GET \(address)\""]
    let rows = common(\.rows)
    if let rows { settings.append("items: \(ProfileDraft.quoted(rows))") }
    let offset = common(\.offset)
    let page = offset == nil ? common(\.page) : nil
    let limit = common(\.limit)
    if let limit, offset != nil || page != nil {
      // One size for all is the least that any takes.
      let most = min(max(1, lists.map { $0.most ?? 100 }.min() ?? 100), 1000)
      settings.append("limit: { name: \(limit), value: \(most) }")
    }
    let isPaged = limit != nil && offset != nil || page != nil
    if let offset, isPaged { settings.append("offset: \(offset)") }
    let first = common(\.first)
    if let page { settings.append("page: \(first == 0 ? "{ name: \(page), first: 0 }" : page)") }
    let open = [
      rows == nil ? "“items” where the rows are in a member of the answer" : nil,
      isPaged ? nil : "how pages follow each other",
      page == nil || first != nil
        ? nil
        : "whether pages count from 1, as here, or from 0: “page: { name: \(page ?? ""), first: 0 }”",
    ].compactMap(\.self)
    let note = open.isEmpty ? [] : ["    # To do: \(open.joined(separator: ", and ")).".plain]
    return note + ["    list: { \(settings.joined(separator: ", ")) }"]
  }

  /// What comes before the name of most collections.
  private var prefix: String {
    let prefixes = schema.collections.compactMap { collection in
      collection.path.map { String($0.dropLast(collection.name.count + 1)) }
    }
    let counts = Dictionary(prefixes.map { ($0, 1) }, uniquingKeysWith: +)
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
  }

  /// The field that has the identity with which a record is made: of the usual ones, that of most collections.
  private var knownField: String {
    let usual = ["id", "local_id", "localId", "client_id", "clientId", "external_id", "externalId"]
    let counts = usual.map { name in schema.collections.count { $0.has(name) } }
    guard let most = counts.max(), most > 0, let place = counts.firstIndex(of: most) else {
      return "local_id"
    }
    return usual[place]
  }

  private var isSnakeCase: Bool {
    let fields = schema.collections.flatMap(\.fields)
    return fields.contains { $0.name.contains("_") }
      && !fields.contains { field in field.name.contains(where: \.isUppercase) }
  }

  /// Whether the description has a method for one record of a collection.
  private func hasItem(_ method: String) -> Bool {
    let addresses = Set(schema.collections.compactMap(\.path))
    return (root["paths"]?.object?.members ?? []).contains { path in
      let names = path.name.split(separator: "/")
      return names.last?.hasPrefix("{") == true && path.value[method] != nil
        && addresses.contains("/" + names.dropLast().joined(separator: "/"))
    }
  }
}

extension RemoteSchema.Collection {
  /// Whether a new record may have a field that takes a text.
  fileprivate func has(_ name: String) -> Bool {
    guard let field = field(named: name), !field.isFilled else { return false }
    return field.kind == .value || field.kind == .json
  }
}
