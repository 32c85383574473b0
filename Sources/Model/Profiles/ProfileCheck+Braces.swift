import ProfileSettings
import RequestBodies
import TextCodecs
import JSONText
import Records

// Names in braces, which are replaced in some places and nowhere else.

extension ProfileCheck {
  /// Refuses every `{name}` of the interface, and of the destinations' addresses, that nothing replaces: it
  /// would be sent as it is.
  func checkBraces(_ api: Api) {
    for name in ["api", "destinations"] {
      guard case .section(let members) = root.node.value,
        let node = members.first(where: { $0.name == name })?.value
      else { continue }
      checkBraces(in: node, [name], of: api)
    }
  }

  private func checkBraces(in node: SettingNode, _ path: [String], of api: Api) {
    switch node.value {
    case .section(let members):
      for member in members {
        // The texts that a map begins with are the app's own.
        if path.last != "map" {
          let names = Self.isConstant(path) ? Self.account(of: api) : []
          checkBraces(of: member.name, Replaced(.nothing, names), at: node)
        }
        checkBraces(in: member.value, path + [member.name], of: api)
      }
    case .list(let elements):
      for element in elements { checkBraces(in: element, path, of: api) }
    case .scalar(let scalar):
      guard let text = scalar.text, let replaced = replaced(at: path, of: api) else { return }
      checkBraces(of: text, replaced, at: node, isRoute: path.last == "request")
    }
  }

  /// Whether a setting is a constant of a body, or lies in one.
  private static func isConstant(_ path: [String]) -> Bool {
    path.count > 5 && path.starts(with: ["api", "entities"]) && path[3] == "body"
      && path[5] == "constant"
  }

  private static func account(of api: Api) -> [String] { api.saysAccount ? ["account"] : [] }

  private func checkBraces(
    of text: String,
    _ replaced: Replaced,
    at node: SettingNode,
    isRoute: Bool = false
  ) {
    let names = (replaced.isProse ? Template(prose: text) : Template(text)).names
    for name in names where !replaced.names.contains(name) {
      // Where nothing is ever replaced, braces may be around anything.
      guard isRoute || replaced.isTemplate || name.isPlaceholder else { continue }
      let meant = NearestWord.to(name, among: variables).map { "write “{\($0)}”, or " }
      fault(
        node.pointer,
        "“{\(name)}” \(replaced.kind.words)",
        cure: (meant ?? "") + replaced.cure(name)
      )
    }
  }

  /// What is replaced in a text.
  private struct Replaced {
    enum Kind {
      case nothing, members, credentials

      var words: String {
        switch self {
        case .nothing: "has no value here, and would be sent with its braces"
        case .members: "is not known"
        case .credentials: "is not a credential"
        }
      }
    }

    let kind: Kind
    let names: [String]
    /// Whether braces may be around anything, of which words alone are names.
    let isProse: Bool

    init(_ kind: Kind, _ names: [String] = [], isProse: Bool = false) {
      self.kind = kind
      self.names = names
      self.isProse = isProse
    }

    var isTemplate: Bool { kind != .nothing || !names.isEmpty }

    func cure(_ name: String) -> String {
      switch kind {
      case .nothing:
        names.isEmpty
          ? "write its value\(Self.given(name))"
          : "use \(names.map { "{\($0)}" }.joined(separator: ", "))\(Self.given(name))"
      case .members:
        RecordMembers.cure(
          name,
          names,
          (names.count > 1 ? "use {id}, or name a member of “body”" : "use {id}")
            + Self.given(name)
        )
      case .credentials:
        RecordMembers.cure(name, names, "add it to “credentials”\(Self.given(name))")
      }
    }

    /// How a name gets a value, where that is one that a person may give.
    private static func given(_ name: String) -> String {
      name.isPlaceholder && !GivenValues.isReserved(name) ? ", or give --set \(name)=…" : ""
    }
  }

  /// What is replaced in the text of a setting; `nil` where nothing of it is sent, or where another check
  /// looks at it.
  private func replaced(at path: [String], of api: Api) -> Replaced? {
    let place = path.dropFirst()
    switch (path.first, place.first) {
    case ("api", "forbidden"): return nil
    case ("api", "headers"), ("api", "basic"), ("api", "query"):
      return Replaced(.credentials, api.credentials)
    case ("api", "schema-from"):
      guard place.dropFirst().first == "headers", let name = api.schemaRoute?.credential else {
        return Replaced(.credentials)
      }
      return Replaced(.credentials, [name] + api.credentials)
    case ("api", "sign-in"):
      switch place.dropFirst().first {
      case "body":
        let assertion = api.signIn?.assertion == nil ? [] : ["assertion"]
        return Replaced(.credentials, api.credentials + assertion)
      case "authorization", "query": return Replaced(.nothing, ["token"])
      default: return Replaced(.nothing)
      }
    case ("api", "media"):
      let rest = place.dropFirst()
      // The bucket's key and address have rules of their own.
      if rest.elementsEqual(["bucket", "key"]) || rest.elementsEqual(["bucket", "address"]) {
        return nil
      }
      if rest.first == "upload" {
        let more = ["remove": ["id"], "form": ["name"]][rest.dropFirst().first ?? ""] ?? []
        let isForm = rest.dropFirst().first == "form"
        return Replaced(.nothing, FileRoutes.names + more, isProse: isForm)
      }
      return Replaced(.nothing, rest.elementsEqual(["remove"]) ? ["key"] : [])
    case ("api", "values"): return Replaced(.nothing, ["value", "of", "latitude", "longitude"])
    case ("api", "sync"): return Replaced(.nothing, Self.account(of: api))
    case ("api", "entities"): return replaced(inEntity: place.dropFirst(), of: api)
    default: return path.last == "words" ? nil : Replaced(.nothing)
    }
  }

  private func replaced(inEntity path: ArraySlice<String>, of api: Api) -> Replaced? {
    // What an answer is held against is not sent.
    if path.last == "words" { return nil }
    let account = Self.account(of: api)
    if path.count > 2, Self.isConstant(["api", "entities"] + path) {
      return Replaced(.nothing, account)
    }
    let place = Array(path.dropFirst())
    let entity = api.entities.first { $0.entity.text == path.first }
    let id = entity?.idNames ?? ["id"]
    switch place {
    case let rest where rest.starts(with: ["read", "many", "each"]):
      return Replaced(.nothing, id + account, isProse: true)
    case ["delete", "many", "each"]: return Replaced(.nothing, id, isProse: true)
    case ["read", "many", "value"], ["delete", "many", "value"]:
      return Replaced(.nothing, ["ids"], isProse: true)
    case ["read", "many", "request"], ["update", "many", "request"],
      ["delete", "many", "request"]:
      return Replaced(.nothing, account)
    case ["list", "after", "value"]: return Replaced(.nothing, ["after"], isProse: true)
    case ["list", "since", "value"]: return Replaced(.nothing, ["since"], isProse: true)
    case ["update", "match", "value"]: return Replaced(.nothing, ["version"])
    case let rest where rest.starts(with: ["shape", "identifier"]):
      return Replaced(.nothing, ["id", "type"])
    default: break
    }
    if place.first == "files", ["request", "remove"].contains(place.last) {
      return Replaced(.members, id + account)
    }
    if let names = Self.written(at: place) {
      return Replaced(.nothing, names + account, isProse: place.last != "name")
    }
    if let content = Self.content(at: place, of: entity, account) { return content }
    guard path.count == 3, path.last == "request" else { return Replaced(.nothing) }
    switch place.first {
    case "create":
      // Several members are known once the record is there, and its own fields before.
      let chosen = entity?.isCompound == true ? [] : id
      return Replaced(.members, chosen + account + (entity?.addressMembers.sorted() ?? []))
    case "read", "links": return Replaced(.members, id + account)
    case "update", "delete": return Replaced(.members, id + ["version"] + account)
    case "list":
      let parent = entity?.list?.each == nil ? [] : [ListRoute.parent]
      return Replaced(.nothing, parent + account)
    default: return Replaced(.nothing)
    }
  }

  /// What is replaced in the body and the headers of a route; `nil` anywhere else.
  private static func content(
    at place: [String],
    of entity: EntityApi?,
    _ account: [String]
  ) -> Replaced? {
    let isOfMany = place.dropFirst().first == "many"
    let setting = isOfMany ? place.dropFirst(2).first : place.dropFirst().first
    let isBody = setting == "body"
    guard isBody || setting == "headers" else { return nil }
    let id = entity?.idNames ?? ["id"]
    let names: [String]? =
      switch (place.first, isOfMany) {
      case ("list", false): isBody ? parameters(of: entity?.list?.route) : []
      case ("read", false): id
      case ("read", true): isBody ? ["body"] : []
      case ("create", false): (entity?.isCompound == true ? [] : id) + (isBody ? ["body"] : [])
      case ("update", true): isBody ? ["body"] : []
      case ("update", false): id + (isBody ? ["version", "body"] : ["version"])
      case ("delete", false): id + ["version"]
      case ("delete", true): isBody ? parameters(of: entity?.delete?.many?.route) : []
      default: nil
      }
    return names.map { Replaced(.nothing, $0 + account, isProse: isBody) }
  }

  private static func parameters(of route: Route?) -> [String] {
    route?.content?.parameters.sorted() ?? []
  }

  /// The names that are replaced in a write, and in how a reference names its record; `nil` anywhere else.
  private static func written(at path: [String]) -> [String]? {
    switch path.first {
    case "create" where path.starts(with: ["create", "batch", "write"]): ["id", "body", "fields"]
    case "update" where path.starts(with: ["update", "write"]):
      ["id", "body", "fields", "version", "expression", "names", "values"]
    case "update" where path.starts(with: ["update", "expression"]): ["n", "name"]
    case "delete" where path.starts(with: ["delete", "write"]): ["id", "version"]
    case "types" where path.last == "name": ["id"]
    default: nil
    }
  }
}

extension String {
  /// Whether the text reads like the name of something that is to be filled in.
  fileprivate var isPlaceholder: Bool {
    guard let first = unicodeScalars.first, first.properties.isAlphabetic else { return false }
    return unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || "0123456789_.-".unicodeScalars.contains(scalar)
    }
  }
}
