import Records

/// The profile of the app, as a person would write it.
extension SessionScenario {
  /// The member that names a hero who may be made later.
  static func deferredField(of entity: EntityName) -> String { entity == hero ? "boss" : "lead" }

  private func deferredFieldRule(_ name: String) -> String {
    hasCircles ? ", \(name): { reference: \(name) }" : ""
  }

  private var claimFields: String {
    hasClaims ? ", remote: remote, seen: seen, state: state, deleted: deleted" : ""
  }

  private var claimRule: String {
    guard hasClaims else { return "" }
    return """

          sync:
            state: state
            means: { synced: synced, changed: changed }
            deleted: deleted
            version: seen
      """
  }

  private func pictureRule(_ entity: EntityName) -> String {
    guard files != nil, Self.hasPicture(entity, at: place) else { return "" }
    return """

          media:
            picture:
              { from: picture, folder: [Pictures], category: \(place == .stories ? "avatar" : "picture"), types: { png: image/png } }
      """
  }

  /// The way of the files, as the profile says it; what happens on it the destination decides.
  private var fileRules: String {
    guard files != nil else { return "" }
    return """
        media:
          enabled: true
          ticket: { request: POST /tickets, body: { size: size }, upload: to, key: key, url: url }
          confirm: { request: POST /files, body: { key: key } }
          remove: DELETE /files/{key}

      """
  }

  private var pictureMember: String {
    guard files != nil else { return "" }
    return switch link {
    case .always: ", picture: { media: picture }"
    case .complete: ", picture: { media: picture, on: complete }"
    case .once: ", picture: { media: picture, on: once }"
    }
  }

  var profileText: String {
    """
    ferry-profile: 1
    app: simulated
    accept-unmapped: [Team.id, Hero.id]
    entities:
      Team:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name, value: value\(storyFields)\(deferredFieldRule("lead"))\(claimFields) }\(pictureRule(Self.team))\(claimRule)
      Hero:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name, value: value, team: { reference: team }\(deferredFieldRule("boss"))\(claimFields) }\(pictureRule(Self.hero))\(claimRule)
    api:

    """ + apiText
  }

  /// What the app with stories demands of a team, and none has.
  private var storyFields: String {
    place == .stories
      ? ", age: { attribute: age, absent: omit }, trait: { attribute: trait, absent: omit }" : ""
  }

  /// How the destination is spoken to.
  private var apiText: String {
    switch place {
    case nil:
      """
        account: { request: GET /me, member: id }
        settle: \(Self.settleSeconds)s
      \(fileRules)  entities:

      """ + Self.entities.map(madeUpRoutes).joined()
    case .collections, .contents:
      """
        kind: rest
        concurrency: 1
        credentials: [email, password]
        sign-in:
          request: POST /api/auth/sign-in/email
          body: { email: "{email}", password: "{password}" }
          token: { header: set-auth-token }
        account: { request: GET /api/auth/get-session, member: user.id }
        entities:

      """ + Self.entities.map(collectionRoutes).joined()
    case .stories:
      """
        kind: rest
        concurrency: 1
        settle: \(Self.settleSeconds)s
        credentials: [email, password]
        sign-in:
          request: POST /api/auth/sign-in/email
          body: { email: "{email}", password: "{password}" }
          token: { header: set-auth-token }
        account: { request: GET /api/auth/get-session, member: user.id }
      \(ticketRules)  entities:

      """ + Self.entities.map(storyRoutes).joined()
    case .changeset:
      """
        kind: changeset
        credentials: [email, password]
        sign-in:
          request: POST /api/auth/login
          body: { email: "{email}", password: "{password}" }
          token: { member: access_token }
        account: { request: GET /api/auth/me, member: id }
        sync: { pull: GET /api/sync, push: POST /api/sync, changes-cursor: server_time, limit: \(batchLimits[Self.team] ?? 1) }
        client-id: as-is
        entities:

      """ + Self.entities.map(syncedRows).joined()
    case .cloudPublic, .cloudPrivate:
      """
        kind: cloudkit
        concurrency: 1
        container: iCloud.simulated
        \(place == .cloudPublic ? "database: public" : "database: private\n  zone: Heroes\n  create-zone: true")
        client-id: as-is
        batch: \(batchLimits[Self.team] ?? 1)
        \(files == nil ? "" : "media: { enabled: true }\n")
        entities:

      """ + Self.entities.map(cloudRecords).joined()
    }
  }

  /// The members that an entity has at a destination.
  private func members(of entity: EntityName) -> String {
    let late = Self.deferredField(of: entity)
    var members = "name: name, value: value"
    if entity == Self.hero { members += ", team: { reference: team }" }
    if hasCircles { members += ", \(late): { reference: \(late), on: complete }" }
    return members
  }

  /// What the rows of an entity are called at a kind of destination.
  static func rows(of entity: EntityName, at place: SessionPlace) -> String {
    switch place {
    case .collections, .contents: entity == team ? "teams" : "heroes"
    case .stories: entity == team ? "heroes" : "stories"
    case .changeset: entity == team ? "notebooks" : "notes"
    case .cloudPublic, .cloudPrivate: entity.text
    }
  }

  private func madeUpRoutes(of entity: EntityName) -> String {
    let replay = replays[entity] ?? .id
    let path = "/\(entity.text.lowercased())"
    let create =
      switch replay {
      case .key: "{ request: POST \(path), key-header: { name: Idempotency-Key } }"
      case .id: "{ request: \"PUT \(path)/{id}\" }"
      case .lookUp: "{ request: POST \(path) }"
      }
    let claimed = hasClaims ? "\n      server-id: remote" : ""
    return """
          \(entity.text):
            replay: \(replay.rawValue)
            list: { request: GET \(path), items: items }
            read: { request: "GET \(path)/{id}" }
            version: version
            create: \(create)
            update: { request: "PATCH \(path)/{id}" }
            delete: { request: "DELETE \(path)/{id}" }
            body: { \(members(of: entity))\(pictureMember) }
            natural-key: [name]
            unmapped: [id\(hasClaims ? ", remote, seen, state, deleted" : "")]\(claimed)

      """
  }

  private func collectionRoutes(of entity: EntityName) -> String {
    let path = "/collections/\(Self.rows(of: entity, at: .collections))/records"
    let isChecked = place == .collections
    let since =
      isChecked && listsChanges[entity] == true
      ? "\n        since: since\n        deleted: deleted" : ""
    let version = isChecked ? "\n      version: version" : ""
    let match = isChecked ? ", if-match: true" : ""
    return """
          \(entity.text):
            replay: id
            list:
              request: GET \(path)
              items: records
              limit: { name: limit, value: 2 }
              cursor: { name: after, member: next }\(since)
            read: { request: "GET \(path)/{id}" }\(version)
            content: data
            create: { request: "PUT \(path)/{id}", if-none-match: true }
            update: { request: "PATCH \(path)/{id}"\(match) }
            delete: { request: "DELETE \(path)/{id}"\(match) }
            body: { \(members(of: entity)) }
            natural-key: [name]
            unmapped: [id]

      """
  }

  private var ticketRules: String {
    guard files != nil else { return "" }
    return """
        media:
          enabled: true
          ticket:
            request: POST /api/files/upload
            body: { fileName: name, mimeType: media-type, fileSize: size, category: category }
            upload: data.uploadUrl
            key: data.storageKey
            url: data.publicUrl
          confirm: { request: POST /api/files/confirm, body: { storageKey: key } }
          remove: DELETE /api/files/{key}

      """
  }

  private func storyRoutes(of entity: EntityName) -> String {
    let rows = Self.rows(of: entity, at: .stories)
    let isStory = entity == Self.hero
    let since = listsChanges[entity] == true ? "\n        since: updatedAfter" : ""
    let picture = files == nil ? "" : ", avatarUrl: { media: picture, on: complete }"
    let body =
      isStory
      ? "title: name, content: value, heroId: { reference: team, on: once }"
      : "name: name, avatarPrompt: value, age: { field: age, default: 6 }, "
        + "traits: { list: [trait] }\(picture)"
    return """
          \(entity.text):
            replay: look-up
            list:
              request: GET /api/v1/\(rows)
              items: data.\(rows)
              limit: { name: limit, value: 2 }
              offset: offset
              more: data.pagination.hasMore\(since)
            version: updatedAt
            read: { request: "GET /api/v1/\(rows)/{id}", item: data }
            create:
              request: POST /api/batch\(isStory ? "/stories" : "")
              batch:
                items: \(rows)
                limit: \(batchLimits[entity] ?? 1)
                local-id: id
                answered-as: localId
                created: results.created
                failed: results.failed
                id: serverId
                error: error
            update: { request: "PATCH /api/v1/\(rows)/{id}", item: data }
            delete: { request: "DELETE /api/v1/\(rows)/{id}" }
            body: { \(body) }
            natural-key: [\(isStory ? "title" : "name")]
            unmapped: [id]\(isStory ? "\n      needs: team" : "")

      """
  }

  private func syncedRows(of entity: EntityName) -> String {
    """
        \(entity.text):
          rows: \(Self.rows(of: entity, at: .changeset))
          deleted: deleted_at
          changed: updated_at
          owner: user_id
          version: \(entity == Self.hero ? "version" : "updated_at")
          body: { \(members(of: entity)) }
          unmapped: [id]

    """
  }

  private func cloudRecords(of entity: EntityName) -> String {
    let picture = files == nil ? "" : ", picture: asset"
    let late = hasCircles ? ", \(Self.deferredField(of: entity)): reference" : ""
    let team = entity == Self.hero ? ", team: reference" : ""
    return """
          \(entity.text):
            record-type: \(entity.text)
            types: { name: string, value: int64\(team)\(late)\(picture) }
            body: { \(members(of: entity))\(pictureMember) }
            unmapped: [id]

      """
  }
}
