import Foundation

/// The sample data of this checkout.
package enum Samples {
  /// The folder `Samples`.
  package static let folder: String = {
    let here = URL(filePath: #filePath)
    return here.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Samples").path
  }()

  package static let infiniteStories = Sample(folder: "\(folder)/infinite-stories")
}

/// A store with its profile and its app's media folders.
package struct Sample: Hashable, Sendable {
  package let folder: String
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
  /// - Parameter takesMedia: Whether the destination is said to give upload tickets.
  /// - Returns: The copy's path.
  package func profile(
    settle: String = "200ms", takesMedia: Bool = false, into folder: String
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

  /// A small store of the same app, made by the script that makes the sample; `nil` where there is
  /// no Python.
  package static func smallInfiniteStories(
    in folder: String, heroes: Int = 6, stories: Int = 40, illustrations: Int = 12, events: Int = 4
  ) throws -> Sample {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "\(Samples.infiniteStories.folder)/make-store.py",
      "--legacy", "\(folder)/default.store", "--container", "\(folder)/container",
      "--heroes", "\(heroes)", "--stories", "\(stories)", "--illustrations", "\(illustrations)",
      "--events", "\(events)", "--profiles", "3", "--wal-stories", "3", "--wal-heroes", "1",
    ]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("make-store.py ended with \(process.terminationStatus)")
    }
    try FileManager.default.copyItem(
      atPath: Samples.infiniteStories.profile, toPath: "\(folder)/profile.yaml")
    return Sample(folder: folder)
  }
}

extension String {
  /// Replaces a text that stands there exactly once.
  fileprivate func replacingOnce(_ old: String, with new: String) throws -> String {
    guard ranges(of: old).count == 1 else {
      throw TestSupportError("“\(old)” does not stand in the profile exactly once")
    }
    return replacing(old, with: new)
  }
}
