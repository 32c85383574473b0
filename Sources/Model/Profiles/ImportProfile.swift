import ProfileSettings
package import Records

/// Which entities the results of legacy files become, and how an app's own files name things.
package struct ImportProfile: Hashable, Sendable {
  /// The entity of results.
  package let results: EntityName
  /// The entity of the streaks that follow from them; `nil` for none.
  package let streaks: EntityName?
  /// The app's own id of each game, by the game's name.
  package let gameIDs: [String: String]
  /// What a number that represents a date counts in the app's files; `nil` where it is not stated.
  package let dateUnit: DateUnit?
  /// Which elements (`body`) and attributes (`@body`) of an XML file hold what; empty where the
  /// profile does not say it.
  package let xmlRecord: String?
  package let xmlTexts: [String]
  package let xmlDates: [String]
  package let xmlSenders: [String]
  package let xmlGames: [String]

  /// Reads the section `import`.
  static func read(_ section: Section, entities: [EntityProfile]) -> ImportProfile? {
    let results = entity("results", section, entities)
    let streaks = section.has("streaks") ? entity("streaks", section, entities) : nil
    var gameIDs: [String: String] = [:]
    for member in section.members("games") {
      gameIDs[member.name] = section.text(of: member.value)
    }
    let dateUnit = section.node("date-unit").map { _ in
      section.choice("date-unit", else: DateUnit.secondsSince2001)
    }
    let xml = section.section("xml")
    let profile = results.map { results in
      ImportProfile(
        results: results,
        streaks: streaks,
        gameIDs: gameIDs,
        dateUnit: dateUnit,
        xmlRecord: xml?.text("record"),
        xmlTexts: xml?.texts("text") ?? [],
        xmlDates: xml?.texts("date") ?? [],
        xmlSenders: xml?.texts("sender") ?? [],
        xmlGames: xml?.texts("game") ?? []
      )
    }
    xml?.close()
    section.close()
    return profile
  }

  /// The entity that a setting names, which the profile must describe.
  private static func entity(
    _ name: String,
    _ section: Section,
    _ entities: [EntityProfile]
  ) -> EntityName? {
    guard let node = section.requiredNode(name), let text = section.text(of: node),
      let entity = section.entityName(text, at: node)
    else { return nil }
    if !entities.contains(where: { $0.name == entity }) {
      section.log.add(
        at: node,
        "“\(text)” is not an entity of this profile",
        cure: "describe it under “entities”"
      )
    }
    return entity
  }
}
