import PropertyLists
import Records
import StoreFiles

/// What a property list's values do not show, as findings that state no value.
enum PreferenceNotes {
  static func findings(_ notes: [PropertyListNote]) -> [Finding] {
    var places: [String: [String]] = [:]
    for note in notes {
      let (words, place) = parts(of: note)
      places[words, default: []].append(place)
    }
    return places.sorted { $0.key < $1.key }.map { words, places in
      Finding(
        code: "preferences.value-changed",
        severity: .warning,
        entity: PreferencesStore.rootEntity,
        cause: "\(words), \(places.count) times: \(KeyList.text(places))",
        cure: "have the app write these values again, or correct them in a copy of the file"
      )
    }
  }

  private static func parts(of note: PropertyListNote) -> (words: String, place: String) {
    switch note {
    case .repeatedName(let name, _, let place):
      ("a name comes twice and the later value counts", "\(place) \(name)")
    case .loneSurrogate(let place):
      ("half a surrogate pair became U+FFFD", place)
    case .assumedLatin1(let place):
      ("text that is neither ASCII nor UTF-8 was read as Latin-1", place)
    case .realBeyondDouble(_, let place):
      ("a number is beyond what a double holds", place)
    }
  }
}
