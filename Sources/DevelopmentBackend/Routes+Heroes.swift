import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Heroes: list, create, read, change, delete.
  func addHeroes(to router: Router<RouteContext>) {
    add(.get, "/api/v1/heroes", to: router, work: listHeroes)
    add(.post, "/api/v1/heroes", to: router, work: createHero)
    add(.get, "/api/v1/heroes/:heroId", to: router, work: readHero)
    add(.patch, "/api/v1/heroes/:heroId", to: router, work: changeHero)
    add(.delete, "/api/v1/heroes/:heroId", to: router) { call, transaction in
      let row = try transaction.ownRow(
        try call.parameter("heroId"),
        of: .heroes,
        called: "hero"
      )
      // The stories and the visual profile of a hero go with it.
      try transaction.run("DELETE FROM heroes WHERE id = ?", [row[0] as String])
      return .data(["id": .string(row[0])], "Hero deleted successfully")
    }
  }

  @Sendable
  private func listHeroes(_ call: Call, _ transaction: Transaction) throws -> Answer {
    var filter = RowFilter(account: try transaction.signedInAccount())
    try filter.addUpdatedAfter(call)
    let includesStories = call.query["includeStories"] == "true"
    return try transaction.list(of: .heroes, filter, Paging(call)) { row in
      var hero = try heroAdditions(row, call, transaction)
      let storyCount = try transaction.count(
        "SELECT COUNT(*) FROM stories WHERE heroId = ?",
        [row[0] as String]
      )
      hero["_count"] = ["stories": .whole(storyCount)]
      if includesStories { hero["stories"] = try newestStories(of: row[0], 5, transaction) }
      return hero
    }
  }

  @Sendable
  private func createHero(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let values = try RequestForm.newHero.values(of: try call.object())
    let limits = configuration.limits
    try transaction.use(
      "hero_creation",
      limit: limits.heroCreations,
      window: limits.window
    )
    let id = try transaction.insert(values.filter { $0.value.isTruthy }, into: .heroes)
    let row = try transaction.ownRow(id, of: .heroes, called: "hero")
    return .data(
      try shownHero(row, call, transaction),
      "Hero created successfully",
      status: .created
    )
  }

  @Sendable
  private func readHero(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let row = try transaction.ownRow(try call.parameter("heroId"), of: .heroes, called: "hero")
    var hero = try shownHero(row, call, transaction)
    if call.query["includeStories"] == "true" {
      hero["stories"] = try newestStories(of: row[0], 10, transaction)
    }
    return .data(hero)
  }

  /// Changes a hero; what is empty or null is passed over, but for the age and the appearance.
  @Sendable
  private func changeHero(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    let row = try transaction.ownRow(try call.parameter("heroId"), of: .heroes, called: "hero")
    try transaction.useChange(configuration.limits)
    var values: [String: JSONValue] = [:]
    for name in ["age", "appearance"] { values[name] = body[name] }
    for name in Self.changeableHeroFields {
      if let value = body[name], value.isTruthy { values[name] = value }
    }
    try transaction.update(row[0], of: .heroes, with: values)
    let changed = try transaction.ownRow(row[0], of: .heroes, called: "hero")
    return .data(try shownHero(changed, call, transaction), "Hero updated successfully")
  }

  private static let changeableHeroFields = [
    "name", "hairColor", "eyeColor", "skinTone", "height", "traits", "specialAbilities",
    "avatarUrl", "avatarPrompt", "avatarGenerationId",
  ]

  /// A hero with its visual profile, as every answer shows it.
  private func shownHero(
    _ row: Row,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> JSONObject {
    var hero = try Table.heroes.object(row)
    for member in try heroAdditions(row, call, transaction).members {
      hero[member.name] = member.value
    }
    return hero
  }

  /// What a hero shows besides its columns: the visual profile, and a signed avatar.
  private func heroAdditions(
    _ row: Row,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> JSONObject {
    var more = JSONObject()
    if configuration.signsMediaAddresses {
      more["avatarUrl"] = shownAddress(try Table.heroes.object(row)["avatarUrl"], call)
    }
    let profile = try transaction.row(
      "SELECT \(Table.visualProfiles.selection) FROM visualProfiles WHERE heroId = ?",
      [row[0] as String]
    )
    more["visualProfile"] =
      try profile.map { .object(try Table.visualProfiles.object($0)) } ?? .null
    return more
  }

  private func newestStories(
    of hero: String,
    _ count: Int,
    _ transaction: Transaction
  ) throws -> JSONValue {
    let rows = try transaction.page(
      of: .stories,
      where: "heroId = ?",
      arguments: [hero],
      limit: count,
      offset: 0
    )
    return .array(try rows.map { .object(try Table.stories.object($0)) })
  }
}

extension Transaction {
  /// Counts a change, where changes are limited.
  func useChange(_ limits: DevelopmentBackend.Limits) throws {
    try use("changes", limit: limits.changes, window: limits.window)
  }
}
