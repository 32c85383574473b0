import CPublishedSchemas

/// What is known of the older versions of the apps Ferry ships with, built into the program.
package enum PublishedUpgrades {
  /// Every file of the folder `upgrades`, by name.
  package static let all = unsafe published_upgrades().all
}

extension PublishedFiles {
  /// The files' names and bytes.
  var all: [(name: String, bytes: [UInt8])] {
    unsafe UnsafeBufferPointer(start: first, count: count).map { file in
      unsafe (String(cString: file.name), Array(String(cString: file.text).utf8))
    }
  }
}
