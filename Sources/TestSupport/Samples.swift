import Foundation

/// The sample data of this checkout.
package enum Samples {
  /// The folder `Samples`.
  package static let folder: String = {
    let here = URL(filePath: #filePath)
    return here.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Samples").path
  }()

  /// The app's model before any server existed: 424 rows.
  package static let infiniteStories = Sample(folder: "\(folder)/infinite-stories")

  /// The app's later model, with sync fields: 77 rows, for tests that cross many times.
  package static var laterInfiniteStories: Sample {
    var sample = infiniteStories
    sample.storeName = "later.store"
    return sample
  }
}

/// A store with its profile and its app's media folders.
package struct Sample: Hashable, Sendable {
  package var folder: String
  /// The store's file name.
  package var storeName = "default.store"

  package var store: String { "\(folder)/\(storeName)" }
  package var profile: String { "\(folder)/profile.yaml" }

  package init(folder: String) { self.folder = folder }

  /// A copy of everything in `folder` that a run needs, in a new folder below `parent`.
  package func copied(into parent: String) throws -> Sample {
    let target = "\(parent)/\(URL(filePath: folder).lastPathComponent)"
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    for name in names where !["generator", "make-store.py", "check-store.py"].contains(name) {
      try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(target)/\(name)")
    }
    var copy = Sample(folder: target)
    copy.storeName = storeName
    return copy
  }

  /// Writes a copy of the profile in which a request is given up sooner, so that tests are quick.
  ///
  /// The copy's path is given back. With `takesMedia` the destination is said to give upload tickets.
  package func profile(
    settle: String = "200ms",
    takesMedia: Bool = false,
    into folder: String
  ) throws -> String {
    var text = try String(contentsOfFile: profile, encoding: .utf8)
    text = try text.replacingOnce("settle: 60s", with: "settle: \(settle)")
    if takesMedia {
      text = try text.replacingOnce("    enabled: false", with: "    enabled: true")
    }
    let path = "\(folder)/profile.yaml"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}

extension String {
  /// Replaces a text that is there exactly once.
  fileprivate func replacingOnce(_ old: String, with new: String) throws -> String {
    guard ranges(of: old).count == 1 else {
      throw TestSupportError("“\(old)” is not in the profile exactly once")
    }
    return replacing(old, with: new)
  }
}
