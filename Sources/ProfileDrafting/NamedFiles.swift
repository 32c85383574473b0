import Files
import JSONText
import Profiles
import Records
import StoreFiles
import StoreReading

/// The attributes whose texts are the names of files that lie beside a store.
///
/// An attribute is taken for one where at least half of its first texts lead to files.
struct NamedFiles {
  /// Where the files of an attribute lie.
  struct Place: Hashable {
    /// The folders, from that of the store on, the one with the most files first.
    let folders: [String]
    /// The endings of the names, in lower case.
    let endings: [String]
    let found: Int
    let asked: Int
  }

  /// What was found, by the attribute's name.
  private(set) var places: [EntityName: [String: Place]] = [:]

  /// So many names of an attribute are looked up.
  private static let mostAsked = 200
  private static let mostFolders = 256

  private let home: String
  private let folders: [String]

  /// Looks at the texts of all attributes that identify no record, neither their own nor another.
  init(
    of entities: [StoreEntity],
    in store: any Store,
    besides identities: [EntityName: String],
    _ named: [EntityName: [String: EntityName]],
    beside home: String
  ) throws(StoreError) {
    self.home = home
    folders = Self.folders(below: home)
    for entity in entities where !entity.holdsPreferences {
      let names = entity.attributes.filter { !$0.isTransient && $0.kind == .string }.map(\.name)
        .filter {
          FieldProfile.canName($0) && $0 != identities[entity.name]
            && named[entity.name]?[$0] == nil
        }
      if names.isEmpty { continue }
      let found = try found(names, of: entity, in: store)
      for (name, found) in zip(names, found) {
        if let place = found.place { places[entity.name, default: [:]][name] = place }
      }
    }
  }

  /// The folders of the container, the nearest first; links are not followed, and what may not be entered is
  /// passed over.
  private static func folders(below home: String) -> [String] {
    var folders = ["."]
    var next = 0
    while next < folders.count, folders.count < mostFolders {
      let folder = folders[next]
      next += 1
      let names = (try? Folder.names(in: "\(home)/\(folder)")) ?? []
      for name in names.sorted() where !name.hasPrefix(".") {
        let place = folder == "." ? name : "\(folder)/\(name)"
        if (try? PlacedFile(at: place, below: home)) == .folder { folders.append(place) }
      }
    }
    return Array(folders.prefix(mostFolders))
  }

  /// What became of the texts of an attribute.
  private struct Found {
    var endings: Set<String> = []
    var hits: [String: Int] = [:]
    var count = 0
    var asked = 0

    var place: Place? {
      guard count > 0, count * 2 >= asked else { return nil }
      return Place(
        folders: hits.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }.map(\.key),
        endings: endings.sorted(),
        found: count,
        asked: asked
      )
    }
  }

  /// Looks up the first texts of attributes, in one pass over the rows.
  private func found(
    _ attributes: [String],
    of entity: StoreEntity,
    in store: any Store
  ) throws(StoreError) -> [Found] {
    var all = attributes.map { _ in Found() }
    let request = RowRequest(
      entity: entity.name,
      fields: attributes.map { .attribute(path: [$0]) }
    )
    let reader = try store.rows(request)
    while all.contains(where: { $0.asked < Self.mostAsked }), try reader.next() {
      for place in all.indices where all[place].asked < Self.mostAsked {
        guard case .text(let bytes) = unsafe reader.row.cells[place], !bytes.isEmpty else {
          continue
        }
        all[place].asked += 1
        guard let name = String(validating: bytes, as: UTF8.self),
          let ending = Self.ending(of: name), let folder = folder(of: name)
        else { continue }
        all[place].endings.insert(ending)
        all[place].hits[folder, default: 0] += 1
        all[place].count += 1
      }
    }
    return all
  }

  /// The ending of what may be the name of a file.
  private static func ending(of name: String) -> String? {
    guard name.utf8.count <= 512, !name.hasPrefix("/"), !name.contains("://"),
      let last = name.split(separator: "/").last, let dot = last.lastIndex(of: "."),
      dot != last.startIndex
    else { return nil }
    let ending = last[last.index(after: dot)...].lowercased()
    let isUsual = (1...5).contains(ending.count) && ending.allSatisfy { $0.isLetter || $0.isNumber }
    return isUsual ? ending : nil
  }

  private func folder(of name: String) -> String? {
    guard !name.split(separator: "/").contains("..") else { return nil }
    return folders.first { folder in
      if case .file? = try? PlacedFile(at: "\(folder)/\(name)", below: home) { true } else { false }
    }
  }
}

extension NamedFiles.Place {
  /// What a profile says of the files of an attribute, in one line.
  func rule(of attribute: String) -> String {
    let name = ProfileDraft.quoted(attribute)
    let places = folders.map { ProfileDraft.quoted($0) }.joined(separator: ", ")
    let types = endings.compactMap { ending in
      Self.types[ending].map { "\(ProfileDraft.quoted(ending)): \($0)" }
    }
    let last = types.isEmpty ? "" : ", types: { \(types.joined(separator: ", ")) }"
    let category = NameForm.snakeCase.applied(to: attribute)
    let given = EntityName.canName(category: category) ? ProfileDraft.quoted(category) : "files"
    return "\(name): { from: \(name), folder: [\(places)], category: \(given)\(last) }"
  }

  /// Media types by the endings of names, as IANA lists them.
  ///
  /// https://www.iana.org/assignments/media-types/media-types.xhtml
  private static let types = [
    "aac": "audio/aac", "avif": "image/avif", "csv": "text/csv", "gif": "image/gif",
    "heic": "image/heic", "jpeg": "image/jpeg", "jpg": "image/jpeg", "json": "application/json",
    "m4a": "audio/mp4", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain",
    "wav": "audio/vnd.wave", "webp": "image/webp", "zip": "application/zip",
  ]

  /// The schema of a member that names a file.
  static let schema: JSONValue = [
    "x-holds": "media",
    "type": ["object", "null"],
    "properties": [
      "name": ["type": "string", "minLength": 1],
      "state": ["enum": ["present", "missing", "evicted", "remote", "refused"]],
      "sha256": ["type": "string", "pattern": "^[0-9a-f]{64}$"],
      "size": ["type": "integer", "minimum": 0],
      "url": ["type": "string"],
    ],
    "required": ["name", "state"],
    "additionalProperties": false,
  ]
}
