extension EntityName {
  /// The name under which the files of a media category are known: `media:avatar`.
  package static func media(_ category: String) -> EntityName {
    guard let name = EntityName("media:\(category)") else {
      preconditionFailure("a profile with another category is refused")
    }
    return name
  }

  /// Whether files can be known under a category.
  package static func canName(category: String) -> Bool { EntityName("media:\(category)") != nil }

  /// The category, when this names media files.
  package var mediaCategory: String? {
    text.hasPrefix("media:") ? String(text.dropFirst("media:".count)) : nil
  }
}
