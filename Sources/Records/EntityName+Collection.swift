extension EntityName {
  /// The name that a collection of an entity's records mostly has: `story_events` for `StoryEvent`.
  ///
  /// The name of a table, which begins with a small letter, is mostly a plural already: `notes` stays so.
  package var usualCollection: String {
    let name = NameForm.snakeCase.applied(to: text)
    if text.first?.isLowercase == true, Self.isPlural(name) { return name }
    if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
      return name.dropLast() + "ies"
    }
    let isHissing = ["s", "x", "z", "ch", "sh"].contains { name.hasSuffix($0) }
    return name + (isHissing ? "es" : "s")
  }

  private static func isPlural(_ name: String) -> Bool {
    name.hasSuffix("s") && !["ss", "us", "is"].contains { name.hasSuffix($0) }
  }
}
