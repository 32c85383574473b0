/// What is known of the older versions of the apps Ferry ships with, built into the program.
package enum PublishedUpgrades {
  /// Every file of the folder `upgrades`, by name.
  package static let all: [(name: String, bytes: [UInt8])] = [
    ("infinite-stories.upgrades.json", PackageResources.infinite_stories_upgrades_json),
    ("noted.upgrades.json", PackageResources.noted_upgrades_json),
  ]
}
