package import ArgumentParser
package import HTTPTransport

/// Whether media is fetched that records name by address, and how much of it.
package struct FetchOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Fetch media that records name by address (http, https) into the package.",
      discussion: "No credential is sent. Without the flag the records keep their addresses."
    )
  )
  package var fetchMedia = false

  @Option(
    help: ArgumentHelp(
      "The most mebibytes of one file that is fetched; 50 unless given.",
      valueName: "mebibytes"
    )
  )
  package var maxFetchSize: Int?

  @Option(
    help: ArgumentHelp(
      "The most addresses that are asked in one run; 10000 unless given.",
      valueName: "count"
    )
  )
  package var maxFetches: Int?

  @Option(
    help: ArgumentHelp(
      "How long one fetch may take: 500ms, 60s, 2m; 60s unless given.",
      valueName: "time"
    )
  )
  package var fetchTimeout: String?

  package init() {}

  package func validate() throws {
    let numbers = [
      ("--max-fetch-size", maxFetchSize, 1 << 20), ("--max-fetches", maxFetches, 1 << 31),
    ]
    for (name, value, most) in numbers {
      if let value, !(1...most).contains(value) {
        throw ValidationError("\(name) takes a number from 1 to \(most).")
      }
    }
    try DurationSetting.check(fetchTimeout, of: "--fetch-timeout")
  }

  /// Refuses to fetch for a package that is to be encrypted: until it is finished, what was fetched
  /// lies beside it as it is.
  package func check(_ sealing: SealingOptions) throws {
    guard !fetchMedia || sealing.encryptTo.isEmpty else {
      throw ValidationError(
        "--fetch-media cannot go with --encrypt-to: fetched files lie in the open for a while."
      )
    }
  }

  /// The same, as a value; `nil` where nothing is fetched.
  package var limits: FetchLimits? {
    guard fetchMedia else { return nil }
    var limits = FetchLimits()
    if let maxFetchSize { limits.size = Int64(maxFetchSize) << 20 }
    if let maxFetches { limits.count = maxFetches }
    if let time = DurationSetting.duration(fetchTimeout) { limits.time = time }
    return limits
  }
}
