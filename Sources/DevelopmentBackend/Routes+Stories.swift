import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Stories: list, read, change, delete; and the one that lets a machine write a new story.
  func addStories(to router: Router<RouteContext>) {
    add(.get, "/api/v1/stories", to: router, work: listStories)
    add(.post, "/api/v1/stories", to: router, work: generateStory)
    add(.get, "/api/v1/stories/:storyId", to: router, work: readStory)
    add(.patch, "/api/v1/stories/:storyId", to: router, work: changeStory)
    add(.delete, "/api/v1/stories/:storyId", to: router) { call, transaction in
      let row = try story(call, transaction)
      try transaction.run("DELETE FROM stories WHERE id = ?", [row[0] as String])
      return .data(["id": .string(row[0])], "Story deleted successfully")
    }
    add(.post, "/api/v1/stories/:storyId/play", to: router, work: play)
    add(.get, "/api/v1/stories/:storyId/illustrations", to: router) { call, transaction in
      _ = try story(call, transaction)
      return .data(["illustrations": [], "total": 0])
    }
    // It draws the scenes that the machine wrote a story with; a story that was imported has none, and no
    // route takes a picture.
    add(.post, "/api/v1/stories/:storyId/illustrations", to: router) { call, transaction in
      _ = try story(call, transaction)
      throw Refusal.validation("No scenes available for illustration. Generate story first.")
    }
    add(
      .get,
      "/api/v1/stories/:storyId/illustrations/status",
      to: router,
      work: illustrationStatus
    )
  }

  private func story(_ call: Call, _ transaction: Transaction) throws -> Row {
    try transaction.ownRow(try call.parameter("storyId"), of: .stories, called: "story")
  }

  @Sendable
  private func listStories(_ call: Call, _ transaction: Transaction) throws -> Answer {
    var filter = RowFilter(account: try transaction.signedInAccount())
    if let hero = call.query["heroId"], !hero.isEmpty { filter.add("heroId = ?", [hero]) }
    if let language = call.query["language"], !language.isEmpty {
      filter.add("language = ?", [language])
    }
    if call.query["isFavorite"] == "true" { filter.add("isFavorite = 1") }
    try filter.addUpdatedAfter(call)
    return try transaction.list(of: .stories, filter, Paging(call)) { row in
      try storyAdditions(row, call, transaction)
    }
  }

  /// Writes a new story by machine: it costs money, is rarely allowed, and imports nothing.
  @Sendable
  private func generateStory(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    let missing = ["heroId", "language"].filter { body[$0]?.isTruthy != true }
    guard missing.isEmpty else {
      throw Refusal.validation("Missing required fields: \(missing.joined(separator: ", "))")
    }
    let hero = try transaction.ownRow(
      body["heroId"]?.text ?? "",
      of: .heroes,
      called: "hero"
    )
    let limits = configuration.limits
    try transaction.use(
      "story_generation",
      limit: limits.storyGenerations ?? .max,
      window: limits.window
    )
    let name: String = hero[4]
    var values: [String: JSONValue] = [:]
    for name in ["language", "eventType", "customEventId"] { values[name] = body[name] }
    values["heroId"] = .string(hero[0])
    values["title"] = .string("\(name) and the machine")
    values["content"] = .string("Once upon a time a machine wrote a story about \(name).")
    values["generationMetadata"] = ["scenesExtracted": 0]
    let id = try transaction.insert(values, into: .stories)
    if let event = body["customEventId"]?.text {
      try transaction.run(
        "UPDATE customEvents SET usageCount = usageCount + 1, lastUsedAt = ? WHERE id = ?",
        [Instant.now.milliseconds, event]
      )
    }
    let row = try transaction.ownRow(id, of: .stories, called: "story")
    return .data(
      try Table.stories.object(row),
      "Story generated successfully",
      status: .created
    )
  }

  @Sendable
  private func readStory(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let row = try story(call, transaction)
    var shown = try shownStory(row, call, transaction)
    let event = try transaction.row(
      "SELECT \(Table.customEvents.selection) FROM customEvents WHERE id = ?",
      [shown["customEventId"]?.text]
    )
    shown["customEvent"] = try event.map { .object(try Table.customEvents.object($0)) } ?? .null
    return .data(shown)
  }

  /// Changes a story; other text takes its audio away.
  @Sendable
  private func changeStory(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    let row = try story(call, transaction)
    try transaction.useChange(configuration.limits)
    var values: [String: JSONValue] = [:]
    for name in ["title", "content", "language"] {
      if let value = body[name], value.isTruthy { values[name] = value }
    }
    if values["content"] != nil {
      values["audioGenerationStatus"] = "pending"
      values["audioUrl"] = .null
    }
    values["isFavorite"] = body["isFavorite"]
    try transaction.update(row[0], of: .stories, with: values)
    let changed = try transaction.ownRow(row[0], of: .stories, called: "story")
    return .data(try shownStory(changed, call, transaction), "Story updated successfully")
  }

  @Sendable
  private func play(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let row = try story(call, transaction)
    let count = (try Table.stories.object(row)["playCount"]?.integer ?? 0) + 1
    let now = Instant.now
    try transaction.update(
      row[0],
      of: .stories,
      with: ["playCount": .whole(count), "lastPlayedAt": .string(now.text)]
    )
    return .data([
      "id": .string(row[0]), "playCount": .whole(count),
      "lastPlayedAt": .string(now.text),
    ])
  }

  @Sendable
  private func illustrationStatus(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let row = try Table.stories.object(try story(call, transaction))
    return .data([
      "status": row["illustrationStatus"] ?? "none", "progress": 0, "total": 0, "completed": 0,
      "processing": 0, "failed": 0, "pending": 0, "illustrations": [],
    ])
  }

  /// A story with its hero in short, as every answer shows it.
  private func shownStory(
    _ row: Row,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> JSONObject {
    var story = try Table.stories.object(row)
    for member in try storyAdditions(row, call, transaction).members {
      story[member.name] = member.value
    }
    return story
  }

  /// What a story shows besides its columns: its hero in short, and a signed address.
  private func storyAdditions(
    _ row: Row,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> JSONObject {
    var more = JSONObject()
    if configuration.signsMediaAddresses {
      more["audioUrl"] = shownAddress(try Table.stories.object(row)["audioUrl"], call)
    }
    let hero = try transaction.row(
      "SELECT id, name, avatarUrl, age, traits FROM heroes WHERE id = ?",
      [row["heroId"] as String]
    )
    if let hero {
      var short: JSONObject = ["id": .string(hero[0]), "name": .string(hero[1])]
      short["avatarUrl"] = shownAddress(.text(hero[2]), call)
      if call.parameters["storyId"] != nil {
        short["age"] = .whole(hero[3] as Int64)
        short["traits"] = try JSONValue(parsing: hero[4] as String)
      }
      more["hero"] = .object(short)
    }
    more["_count"] = ["illustrations": .whole(row["illustrationCount"] as Int64)]
    if call.query["includeIllustrations"] == "true" { more["illustrations"] = [] }
    return more
  }
}
