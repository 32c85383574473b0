extension EntityName {
  /// The name under which the files of a media category are known: `media:avatar`.
  package static func media(_ category: String) -> EntityName {
    guard let name = EntityName("media:\(category)") else {
      preconditionFailure("the profile's schema holds categories to plain names")
    }
    return name
  }

  /// The category, when this names media files.
  package var mediaCategory: String? {
    text.hasPrefix("media:") ? String(text.dropFirst("media:".count)) : nil
  }
}
