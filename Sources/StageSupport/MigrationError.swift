import ExportPackage
package import Records
package import UploadPlanning

/// Why a stage did not come to its end.
///
/// These are the reasons of the stages themselves: the errors of the modules below pass as they are.
package enum MigrationError: Error, Sendable {
  /// Something that was given for an import cannot be used.
  case badImport(reason: String, cure: String)
  /// The package holds results that are not its owner's, and nothing of them may be sent.
  case othersResults(path: String, count: Int)
  /// More records are rejected than `--max-rejects` allows; nothing was sent.
  case tooManyRejects(count: Int, total: Int, limit: String)
  /// The source's files are not what they were when the run began.
  case sourceChanged(path: String, differences: [String])
  /// The store is there and has nothing in it, which is hardly what the person means.
  case emptySource(path: String)
  /// Records break their schemas or refer to nothing; the findings are in the report.
  case invalid(findings: [Finding], count: Int)
  /// The account is not the one this store was moved to before.
  case otherAccount(recorded: String, now: String, checkpoint: String)
  /// A store without an identity of its own lies elsewhere than the one that was sent before, or
  /// has none of its records.
  case otherStore(recorded: String, now: String, checkpoint: String)
  /// The store itself says that it belongs to another account.
  case foreignSource(named: String, now: String)
  /// Another account is signed in than was said to be.
  case unexpectedAccount(expected: String, now: String)
  /// An entity has far fewer records than are at the destination by earlier runs.
  case shrunkenSource(entity: String, now: Int, before: Int)
  /// More records would be deleted than `--max-delete` allows, of those that the checkpoint knows at the
  /// destination; nothing was sent.
  case tooManyDeletions(count: Int, known: Int, limit: String)
  /// What a person chose for this run cannot be.
  case badChoice(reason: String, cure: String)
  /// Records of an encrypted package would be quarantined, where they would lie in the open.
  case keptInTheOpen(String)
  /// The records of the package are placeholders, and must never reach a destination.
  case redacted(String)
  /// The records of the package are as a destination holds them, and a profile takes those of a store.
  case fromDestination(String)
  /// Nothing of this name is known.
  case unknownRun(String)
  /// The names of several runs begin with what was given.
  case ambiguousRun(String, [String])
  /// A plan, run or package has no record of the entity or the key that a person named.
  case nothingNamed(String, in: String)
  /// A run of this name is known, and went to another destination than the one that is named.
  case runElsewhere(run: String, destination: String, named: String)
  /// No checkpoint, or more than the one that is wanted, is called this.
  case unknownCheckpoint(String)
  /// A saved plan says something else than a plan made now would.
  case planOutdated(path: String, moved: String)
  /// The last run began with another profile; each key that changed is named.
  case changedProfile(run: String, changes: [String])
  /// The package does not hold every row that was counted in the store.
  case rowsLost(path: String, read: Int, kept: Int)
  /// Another package, of another source or profile, is where this one should be.
  case packageInTheWay(String)
  /// The package is of this source, and a media file of the app's is another one since.
  case packageOutdated(String, reason: String)
  /// The profile has no `api` section, so nothing can be sent.
  case noDestination(String)
  /// The run's package is not where it was, nor at the other place where it is looked for, and is needed.
  case noPackage(String, orAt: String? = nil)
  /// A later run built on what this one did, and has to be rolled back first.
  case laterRun(String)
  /// It is unknown how to bring this to the newest version.
  case noUpgrade(String, String)
  /// A file that a person named is of another kind than the verb takes.
  case wrongFile(path: String, found: String, wanted: String, hint: String)
  /// There is no profile where one was looked for; `near` is a file beside it whose name is like its own.
  case noProfile(String, near: String? = nil)
  /// The folder for a draft holds something already.
  case folderInTheWay(String)
  /// A rollback was interrupted, and has to come to its end before anything else.
  case rollbackUnfinished(String)
  /// It could not be found out what became of requests without an answer.
  case unsettled(String, EngineConclusion)
  /// Another device is at work on the same store.
  case busy(path: String, holder: String?)
  /// The person asked for an end before the run had begun to send.
  case interrupted
}

extension MigrationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badImport(let reason, _): reason
    case .othersResults(let path, let count):
      "\(path) holds \(count) \(count == 1 ? "result" : "results") of others (its records have a "
        + "player), and those are never sent"
    case .tooManyRejects(let count, let total, let limit):
      "\(count) of \(total) records are rejected, and --max-rejects allows \(limit)"
    case .sourceChanged(let path, let differences):
      "the store \(path) changed while it was read: \(differences.joined(separator: ", "))"
    case .emptySource(let path): "the store \(path) holds no record that the profile names"
    case .invalid(_, let count):
      count == 1 ? "1 fault was found in the package" : "\(count) faults were found in the package"
    case .otherAccount(let recorded, let now, _):
      "this store was moved to the account \(recorded) before, and this account is \(now)"
    case .otherStore(let recorded, let now, _) where recorded == now:
      "no record of the store \(now) was sent before with the content that it has, or under a UUID: another store "
        + "may be in its place, or each of its numbered rows was edited"
    case .otherStore(let recorded, let now, _):
      "the store \(recorded) was sent before, and this is the store \(now): stores of this kind have no identity "
        + "by which Ferry could know that it is the same one"
    case .foreignSource(let named, let now):
      "the store belongs to \(named), and this account is \(now)"
    case .unexpectedAccount(let expected, let now):
      "the account should be \(expected), and the destination says that it is \(now)"
    case .shrunkenSource(let entity, let now, let before):
      "the store has \(now.counted("record")) of \(entity), and \(before) are at the destination by "
        + "earlier runs"
    case .tooManyDeletions(let count, let known, let limit):
      "of \(known.counted("record")) that are known at the destination, \(count) would be deleted, "
        + "and --max-delete allows \(limit)"
    case .badChoice(let reason, _): reason
    case .keptInTheOpen(let path):
      "\(path) is encrypted, and quarantined records would be written unencrypted to the state folder"
    case .redacted(let path):
      "\(path) is redacted: its records are placeholders, and are never sent or compared"
    case .fromDestination(let path):
      "\(path) was read from a destination: its records have the form that they have there, and are "
        + "never sent or compared"
    case .unknownRun(let name): "no run is called \(name)"
    case .ambiguousRun(let name, let runs):
      "the names of \(runs.count) runs begin with \(name): \(Self.list(runs, separator: ", "))"
    case .nothingNamed(let name, let place): "\(place) has no \(name)"
    case .runElsewhere(let run, let destination, let named):
      "run \(run) went to \(destination), and not to \(named)"
    case .unknownCheckpoint(let name): "no checkpoint is called \(name), or several are"
    case .planOutdated(let path, let moved):
      "the plan \(path) is out of date: \(moved)"
    case .changedProfile(let run, let changes):
      "the profile changed since run \(run): \(Self.list(changes))"
    case .rowsLost(let path, let read, let kept):
      "the store \(path) has \(read) rows and the package \(kept)"
    case .packageInTheWay(let path):
      "\(path) is a package of another source, profile or version"
    case .packageOutdated(let path, let reason):
      "the package \(path) was made of this store, and \(reason)"
    case .noDestination(let path): "the profile \(path) names no destination"
    case .noPackage(let path, _): "the package \(path) is not there any more, and is needed"
    case .laterRun(let run): "run \(run) came later and may build on what this one did"
    case .noUpgrade(let path, let reason): "\(path) cannot be upgraded: \(reason)"
    case .wrongFile(let path, let found, let wanted, _): "\(path) is \(found), not \(wanted)"
    case .noProfile(let path, _): "there is no profile at \(path)"
    case .folderInTheWay(let path): "the folder \(path) is not empty"
    case .rollbackUnfinished(let run):
      "the rollback of run \(run) was interrupted and has to be finished first"
    case .unsettled(let run, let conclusion):
      "run \(run) sent requests that got no answer, and it could not be found out what became of "
        + "them: \(conclusion)"
    case .busy(let path, let holder):
      "another run is at work on \(path)\(holder.map { " (process \($0))" } ?? "")"
    case .interrupted: "stopped as asked, before anything was sent"
    }
  }
}

extension MigrationError: ExplainedError {
  package var failure: Failure { Failure(kind, self, cure: cure) }

  private var kind: Failure.Kind {
    switch self {
    case .sourceChanged, .emptySource, .shrunkenSource: .source
    case .noUpgrade, .planOutdated, .changedProfile, .otherAccount, .otherStore, .foreignSource,
      .packageInTheWay, .packageOutdated, .unexpectedAccount, .redacted, .fromDestination,
      .rollbackUnfinished, .laterRun:
      .mismatch
    case .rowsLost: .other
    case .invalid(let findings, _): findings.contains(where: \.reportsDamage) ? .mismatch : .invalid
    case .othersResults: .invalid
    case .badImport, .badChoice, .keptInTheOpen, .wrongFile, .unknownRun, .ambiguousRun,
      .nothingNamed, .runElsewhere, .unknownCheckpoint, .noDestination, .noPackage, .noProfile,
      .folderInTheWay:
      .usage
    case .unsettled(_, let conclusion):
      switch conclusion {
      case .done, .passingFault: .passing
      case .refused: .refused
      case .interrupted: .interrupted
      }
    case .busy: .locked
    case .tooManyRejects, .tooManyDeletions: .limit
    case .interrupted: .interrupted
    }
  }

  /// What a person can do about it; `nil` where the message says it already.
  package var cure: String? {
    switch self {
    case .badImport(_, let cure): cure
    case .othersResults: "import the files again with --sender NAME, without --all-senders"
    case .tooManyRejects: "correct the records or the schemas, or allow more"
    case .sourceChanged: "close the app, and run again"
    case .emptySource:
      "check that this is the right store; --allow-empty-source goes on all the same"
    case .invalid:
      "correct the records in the app, or the schemas, and run again; --on-invalid quarantine sends "
        + "the others"
    case .otherAccount(_, _, let checkpoint):
      "sign in as the other account, or pass --accept-change account to move the store to this "
        + "one as well (its checkpoint is \(checkpoint))"
    case .otherStore(_, _, let checkpoint):
      "for another store, name a state folder of its own with --state-dir; for the same one, moved or edited, pass "
        + "--accept-change store (its checkpoint is \(checkpoint))"
    case .foreignSource:
      "sign in as the account the store belongs to, or pass --accept-change account to send its "
        + "records to this one"
    case .unexpectedAccount: "sign in as the account that is meant"
    case .shrunkenSource:
      "check that this is the whole store; --allow-empty-source goes on all the same"
    case .tooManyDeletions: "check that the deletions are meant, and allow more"
    case .badChoice(_, let cure): cure
    case .keptInTheOpen:
      "leave out --on-invalid quarantine: every fault is reported all the same; correct them in the app"
    case .redacted: "export the store again without --redact"
    case .fromDestination: "send a package that was made of the store"
    case .unknownRun: "`ferry history` lists the runs"
    case .ambiguousRun: "write more of the run's name, or name its state folder with --state-dir"
    case .nothingNamed(_, let place): "ferry show \(place) lists what it has"
    case .runElsewhere(_, let destination, _): "name \(destination), or no destination at all"
    case .unknownCheckpoint: "`ferry checkpoint show` lists them"
    case .planOutdated: "plan again with `ferry plan -o`, look at it, and upload that"
    case .changedProfile(let run, _):
      "pass --accept-change profile once the change is meant; `ferry rollback \(run)` rolls the run back with "
        + "the profile that it began with"
    case .rowsLost: "report this: every row must be in the package or in its rejected/"
    case .packageInTheWay, .packageOutdated, .folderInTheWay:
      "name another folder, or move that one away"
    case .noDestination:
      "draft one for a backend of `ferry preset list` with `ferry init STORE --preset NAME -o FOLDER`, or "
        + "add an `api` section: “The API” in the documentation says what goes into it"
    case .noPackage(_, let other?): "put it back, or move it to \(other)"
    case .noPackage(_, nil): "put it back, or run `ferry export` again"
    case .laterRun(let run): "roll back run \(run) first: `ferry rollback \(run)`"
    case .noUpgrade: "name the file that declares it with --upgrades, or use a newer ferry"
    case .wrongFile(_, _, _, let hint): "did you mean “\(hint)”?"
    case .noProfile(_, let near?): "did you mean --profile \(near)?"
    case .noProfile(_, nil):
      "name the profile with --profile, or set FERRY_PROFILE; `ferry init STORE -o FOLDER` drafts one"
    case .rollbackUnfinished(let run):
      "`ferry resume \(run)` or `ferry rollback \(run)` finishes it"
    case .unsettled: "run the same command again once the destination answers"
    case .busy: "wait for it, or end it"
    case .interrupted: nil
    }
  }
}

extension MigrationError {
  /// The most changes of a profile that a message names.
  private static let mostChanges = 20

  private static func list(_ changes: [String], separator: String = "; ") -> String {
    let left = changes.count - mostChanges
    let named = changes.prefix(mostChanges).joined(separator: separator)
    return left > 0 ? "\(named)\(separator)and \(left) more" : named
  }
}
