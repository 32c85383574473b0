import JSONText
import ProfileSettings

extension RouteReader {
  func media(_ section: Section, of kind: Api.Kind) -> MediaApi {
    let isEnabled = section.flag("enabled", else: false)
    let way: MediaApi.Way
    if let bucket = section.section("bucket") {
      way = .bucket(self.bucket(bucket))
    } else if let upload = section.section("upload") {
      way = .routes(fileRoutes(upload))
    } else {
      way = kind.mediaWay ?? .tickets(tickets(section))
    }
    section.close()
    return MediaApi(isEnabled: isEnabled, way: way)
  }

  private func fileRoutes(_ section: Section) -> FileRoutes {
    let routes = FileRoutes(
      upload: route(section),
      form: section.section("form").map { form($0) },
      item: path(section, "item"),
      exists: section.section("exists").map { exists($0) },
      read: optionalRoute(section, "read") ?? Route(method: .get, template: "/"),
      found: section.text("found").map { MemberPath($0) },
      remove: optionalRoute(section, "remove"),
      id: section.text("id").map { MemberPath($0) },
      address: fileAddress(section)
    )
    _ = section.requiredNode("read")
    section.close()
    return routes
  }

  private func form(_ section: Section) -> FileRoutes.Form {
    defer { section.close() }
    return FileRoutes.Form(
      file: section.requiredText("file"),
      fields: templates(section, "fields")
    )
  }

  /// `/files/public/{sha256}`, or `{ member: id }`.
  private func fileAddress(_ section: Section) -> FileRoutes.Address {
    guard let node = section.requiredNode("address") else { return .made("") }
    if let text = node.json.text { return .made(text) }
    let inner = Section(node, log: log)
    let member = inner.requiredText("member")
    inner.close()
    return .member(MemberPath(member))
  }

  /// `{ request: "POST /notes/{id}/picture", part: file, remove: "DELETE /notes/{id}/picture" }`.
  func fileRoute(_ section: Section) -> FileRoute {
    defer { section.close() }
    return FileRoute(
      upload: route(section),
      part: section.text("part", else: "file"),
      remove: optionalRoute(section, "remove")
    )
  }

  private func optionalRoute(_ section: Section, _ name: String) -> Route? {
    section.node(name).flatMap { node in section.text(of: node).flatMap { route($0, at: node) } }
  }

  private func tickets(_ section: Section) -> TicketApi {
    TicketApi(
      ticket: ticket(section.requiredSection("ticket") ?? section),
      confirm: section.section("confirm").map { confirmation($0) },
      remove: optionalRoute(section, "remove")
    )
  }

  private func ticket(_ section: Section) -> TicketApi.Ticket {
    defer { section.close() }
    return TicketApi.Ticket(
      route: route(section),
      body: members(section),
      upload: MemberPath(section.text("upload", else: "uploadUrl")),
      key: MemberPath(section.text("key", else: "storageKey")),
      url: MemberPath(section.text("url", else: "publicUrl"))
    )
  }

  private func confirmation(_ section: Section) -> TicketApi.Confirmation {
    let confirmation = TicketApi.Confirmation(route: route(section), body: members(section))
    section.close()
    return confirmation
  }

  private func members(_ section: Section) -> [MediaApi.Member] {
    guard let body = section.section("body") else { return [] }
    return body.all().map { member in
      MediaApi.Member(name: member.name, fact: body.choice(member.name, else: MediaApi.Fact.name))
    }
  }

  private func bucket(_ section: Section) -> BucketApi {
    defer { section.close() }
    return BucketApi(
      endpoint: section.requiredText("endpoint"),
      name: section.requiredText("name"),
      region: section.text("region", else: "auto"),
      key: section.text("key", else: "{category}/{account}/{sha256}"),
      address: section.text("address"),
      accessKey: section.requiredText("access-key"),
      secretKey: section.requiredText("secret-key"),
      partSize: Int64(section.count("part-mebibytes", within: 5...5_000, else: 16)) << 20,
      isCreateOnly: section.flag("create-only", else: true)
    )
  }
}
