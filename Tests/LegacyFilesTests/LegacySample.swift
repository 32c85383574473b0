import Foundation
import JSONText
import LegacyFiles
import ResultText
import TestSupport

/// Reads bytes as a legacy file, for tests.
enum LegacySample {
  static let catalogue: GameCatalogue = {
    do {
      return try BuiltInGames.catalogue()
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  static func items(
    _ bytes: [UInt8],
    as form: LegacyForm? = nil,
    options: LegacyOptions = LegacyOptions(),
    name: String = "file"
  ) async throws -> (form: LegacyForm, items: [LegacyItem]) {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/\(name)"
      try Data(bytes).write(to: URL(filePath: path))
      let file = try LegacyFile(path, form: form)
      let reader = try file.reader(options, catalogue: catalogue)
      var items: [LegacyItem] = []
      while let item = try reader.next() { items.append(item) }
      return (file.form, items)
    }
  }

  static func items(
    _ text: String,
    as form: LegacyForm? = nil,
    options: LegacyOptions = LegacyOptions()
  ) async throws -> (form: LegacyForm, items: [LegacyItem]) {
    try await items(Array(text.utf8), as: form, options: options)
  }
}

extension [LegacyItem] {
  var entries: [LegacyEntry] {
    compactMap { item in
      guard case .entry(let entry) = item else { return nil }
      return entry
    }
  }

  var notes: [LegacyNote] {
    compactMap { item in
      guard case .note(let note) = item else { return nil }
      return note
    }
  }
}

extension LegacyEntry {
  var string: String { String(decoding: text, as: UTF8.self) }

  /// The members, where this is a stored result.
  var stored: String? {
    guard case .result(let object) = kind else { return nil }
    return object["id"]?.text
  }
}
