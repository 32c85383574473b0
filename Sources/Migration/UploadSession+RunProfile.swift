import Checkpoint
import DestinationModel
import Folder
import Profiles
import Records
import StageSupport
import SyncReading

/// The profile that a run ends, and is rolled back, with: the one that it began with.
///
/// | what | profile |
/// |---|---|
/// | a new run | the one that is given; where the last upload that stands began with another, only with `--accept-change profile` |
/// | an interrupted upload that goes on | its own, which is the one that is given |
/// | an interrupted upload that is given up for another profile | its own: requests without an answer are looked up as they were sent |
/// | a rollback | that of the run that is rolled back, with the routes of today where a person asks for them |
///
/// One thing the given profile decides about an earlier run: where it sends a category of files elsewhere, or
/// not at all, files of it that the run began to send are given up. They need no answer from a bucket
/// that the profile named wrongly.
extension UploadSession {
  /// The profile of this session, as a run keeps it.
  var storedProfile: StoredProfile {
    StoredProfile(digest: profile.digest.description, yaml: profile.expandedText)
  }

  /// Refuses a profile that differs from that of the last upload which was not rolled back, unless a
  /// person accepts that.
  ///
  /// - Throws: `MigrationError.changedProfile`, which names each key that changed.
  func expectProfile() throws {
    guard !options.acceptsChangedProfile else { return }
    guard let last = try checkpoint.runs().standing.last,
      try !profile.isProfile(of: last, in: checkpoint)
    else {
      return
    }
    let changes = try Profile(of: last, in: checkpoint).changes(to: profile)
    throw MigrationError.changedProfile(run: last.id, changes: changes.map(\.description))
  }

  /// This session with the profile that a run began with.
  func under(_ run: RunRecord) throws -> UploadSession {
    var own = try Profile(of: run, in: checkpoint)
    if hasCurrentRoutes {
      own = try own.withRoutes(of: currentProfile)
    }
    guard own.digest != profile.digest else { return self }
    var session = self
    try session.use(own)
    return session
  }

  /// Gives up the files that an upload began to send, where the given profile sends them elsewhere or not at
  /// all, and reports each one that may lie at the destination.
  ///
  /// A destination that hands out a ticket for each file has none of them: a file with a ticket has a place.
  func giveUpFiles(of run: RunRecord, _ findings: FindingCollector) throws {
    guard !FolderDestination.takes(destination.traits.origin) else { return }
    let own = try Profile(of: run, in: checkpoint)
    let hasTickets = if case .tickets = own.api?.media?.way { true } else { false }
    let current = currentProfile
    let categories = try checkpoint.begunFiles(of: run).filter { category in
      !current.sendsFiles(of: category, asIn: own)
    }
    try checkpoint.giveUpFiles(of: run, in: categories) { file in
      hasTickets ? nil : Finding.orphaned(file)
    }
    let reported = try checkpoint.findings(of: run, limit: .max)
    for finding in reported where finding.isOrphaned { findings.add(finding) }
  }
}
