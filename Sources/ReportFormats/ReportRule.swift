/// A rule that findings name by their code: what it means, and what the words of a finding tell.
package struct ReportRule: Hashable, Sendable {
  /// What the words of a finding may hold beside the names of entities and members.
  package enum Discretion: Sendable {
    /// Names and counts only.
    case plain
    /// Keys of records as well.
    case identities
    /// Words of the store or the destination, which may quote values.
    case values
  }

  package let code: String
  /// What is the matter, in one sentence that is true of every finding.
  package let summary: String
  package let discretion: Discretion

  private init(_ code: String, _ discretion: Discretion, _ summary: String) {
    self.code = code
    self.discretion = discretion
    self.summary = summary
  }

  /// The rule of this code; one made of the code's family where it is not listed.
  package init(code: String) {
    if let known = Self.byCode[code] {
      self = known
      return
    }
    let family = code.prefix { $0 != "." }
    let name = code.dropFirst(family.count + 1)
    self =
      switch family {
      case "schema":
        ReportRule(code, .values, "A record breaks the keyword “\(name)” of its schema.")
      case "model": ReportRule(code, .plain, "Two models differ: \(name).")
      case "store", "container", "package", "verify", "plan", "checkpoint":
        ReportRule(code, .identities, "Something is the matter with the \(family): \(name).")
      default: ReportRule(code, .values, "The \(family) rule “\(name)” does not hold.")
      }
  }

  private static let byCode = Dictionary(
    known.map { ($0.code, $0) },
    uniquingKeysWith: { first, _ in first }
  )

  /// The rules that every table of rules lists, whether anything was found or not.
  package static let known: [ReportRule] = [
    ReportRule("body.form", .values, "The form of a request does not fit a record."),
    ReportRule("batch.failed", .values, "A whole batch was refused."),
    ReportRule("container.file-unread", .plain, "A file of the container is not read."),
    ReportRule("container.skipped", .plain, "A folder of the container is not looked into."),
    ReportRule("container.store-missing", .plain, "The container lacks a store that is expected."),
    ReportRule("container.store-unread", .plain, "A store of the container cannot be read."),
    ReportRule("destination.forgotten-keys", .plain, "Keys of old requests may be forgotten."),
    ReportRule("destination.keeps-failing", .values, "The destination fails at one record."),
    ReportRule("destination.refused", .values, "The destination refused a record."),
    ReportRule("destination.surplus", .plain, "The destination holds a record more than once."),
    ReportRule("destination.unreadable", .values, "The destination's answer cannot be read."),
    ReportRule(
      "checkpoint.neighbour-unread",
      .identities,
      "A checkpoint of another store cannot be read."
    ),
    ReportRule("checkpoint.unreadable", .identities, "A checkpoint cannot be read."),
    ReportRule("export.secret", .identities, "A secret stays out of the package."),
    ReportRule("identity.unfit", .values, "A record's identity cannot be one."),
    ReportRule("identity.unknown", .identities, "A record's identity cannot be told."),
    ReportRule("import.date-form", .values, "What stands for a result's date is none."),
    ReportRule("import.date-unit", .values, "Nobody says what the number of a date counts."),
    ReportRule("import.duplicate-differs", .values, "A result was shared twice, differently."),
    ReportRule("import.game-differs", .values, "Two sources describe a game differently."),
    ReportRule("import.game-id-reused", .values, "Two games have the same identity."),
    ReportRule("import.held-differs", .values, "A result is held with other content already."),
    ReportRule("import.no-date", .values, "A result has no date."),
    ReportRule("import.part-refused", .values, "A part of a text was refused."),
    ReportRule("import.perhaps-own", .values, "A result may be the owner's, under another name."),
    ReportRule("import.refused", .values, "A text was refused."),
    ReportRule("import.stored-only", .values, "A value is stored and follows from no result."),
    ReportRule("import.streak-differs", .values, "A stored streak differs from the results."),
    ReportRule("media.container-link", .identities, "The container is a link, and not followed."),
    ReportRule("media.changed", .identities, "A media file is not what it was at export."),
    ReportRule("media.fetch-address", .identities, "An address of a media file is not asked."),
    ReportRule("media.fetch-limit", .identities, "No more media files were asked for."),
    ReportRule("media.fetch-other-kind", .identities, "An address gives no file of its kind."),
    ReportRule("media.fetch-redirected", .identities, "The way to a media file is not gone."),
    ReportRule("media.fetch-refused", .identities, "An address does not give its media file."),
    ReportRule("media.fetch-too-large", .identities, "A media file is larger than is allowed."),
    ReportRule("media.fetch-unlisted", .plain, "More media files did not arrive than are listed."),
    ReportRule("media.fetch-unreachable", .identities, "A media file did not arrive."),
    ReportRule("media.missing", .identities, "A media file that a record names is missing."),
    ReportRule("media.occupied", .identities, "Another file lies where a media file should go."),
    ReportRule("media.parts-untold", .values, "Nobody tells if parts of a file are left."),
    ReportRule("media.refused", .plain, "Names of media lead out, or to no file that is taken."),
    ReportRule("media.stray", .identities, "A media file belongs to no record."),
    ReportRule("media.unexpected", .values, "The destination's answer about a file is unexpected."),
    ReportRule("media.unknown", .identities, "It is not known what became of a media file."),
    ReportRule("media.unreadable", .identities, "A media file cannot be read."),
    ReportRule("package.damaged", .plain, "The package is not as it was sealed."),
    ReportRule("package.missing", .plain, "A file of the package is missing."),
    ReportRule("package.unreadable", .plain, "A file of the package cannot be read."),
    ReportRule("plan.absent", .plain, "Records that were sent are no longer in the store."),
    ReportRule("plan.conflict", .plain, "A record was changed here and at the destination."),
    ReportRule("plan.decided", .values, "A person decided a conflict."),
    ReportRule(
      "plan.file-left",
      .plain,
      "Files are not sent where records have addresses of theirs."
    ),
    ReportRule("plan.left", .plain, "Records are not sent, for a reason that is given."),
    ReportRule("plan.made-again", .plain, "Records that were removed are made again."),
    ReportRule("plan.merged", .values, "A merge of both sides lost something."),
    ReportRule("plan.overtaken", .plain, "Somebody else got ahead of an interrupted run."),
    ReportRule("plan.queued", .plain, "A change in the app's own queue is not replayed."),
    ReportRule("plan.returned", .plain, "Records that a run deleted are there again."),
    ReportRule(
      "plan.reverted",
      .plain,
      "Records are at the destination as they were before a run changed them."
    ),
    ReportRule("plan.shortened", .plain, "Texts are cut to what the destination takes."),
    ReportRule("plan.state", .values, "Records have a state that the profile does not list."),
    ReportRule("plan.trails", .plain, "The destination has newer content, which stays."),
    ReportRule("plan.unplaced", .plain, "The destination has no place for something."),
    ReportRule("plan.yielded", .plain, "What stands at the destination stays."),
    ReportRule("preferences.entity-name", .identities, "A key cannot name an entity."),
    ReportRule(
      "preferences.key-family",
      .identities,
      "Keys that end in a UUID are rows of an entity."
    ),
    ReportRule("preferences.member-renamed", .identities, "A member has another name here."),
    ReportRule("preferences.system-keys", .identities, "Keys of the system are left out."),
    ReportRule("preferences.too-many-names", .identities, "Records have too many names."),
    ReportRule("preferences.value-changed", .identities, "A value was changed to be carried."),
    ReportRule("record.duplicate-key", .plain, "Two records have the same key."),
    ReportRule("record.key", .plain, "A record has no key."),
    ReportRule("record.key-zero", .plain, "A record's key holds a zero character."),
    ReportRule("record.large", .plain, "A record is larger than the destination takes."),
    ReportRule("record.no-identity", .identities, "A record has no identity."),
    ReportRule("record.no-key", .plain, "A record has no key."),
    ReportRule("record.not-json", .values, "A record is not JSON."),
    ReportRule("record.quarantined", .plain, "A record is not valid and is kept aside."),
    ReportRule("record.shared-identity", .plain, "Two records have one identity of the server's."),
    ReportRule("record.too-large", .plain, "A record is larger than any that is exported."),
    ReportRule("record.unreadable", .values, "A record cannot be read."),
    ReportRule("reference.dangling", .identities, "A reference leads to no record."),
    ReportRule("replay.doubled", .plain, "Two lines repair one record."),
    ReportRule("replay.no-record", .plain, "A line of repairs is no record."),
    ReportRule("replay.unknown", .plain, "Something repairs nothing that was kept aside."),
    ReportRule("restore.gone", .identities, "What should be put back is gone."),
    ReportRule("restore.unknown", .identities, "It is not known what stood there before."),
    ReportRule("rollback.not-restored", .plain, "What was put back does not stand there."),
    ReportRule("rollback.still-there", .plain, "What was removed is still at the destination."),
    ReportRule("rollback.unread", .values, "What was taken back cannot be read."),
    ReportRule("store.foreign-key-collation", .plain, "A foreign key leads to equal bytes only."),
    ReportRule("store.passing-keys", .plain, "Rows are known by places that may change."),
    ReportRule(
      "store.rows-of-abstract",
      .plain,
      "The store has rows of an abstract entity that the profile does not describe."
    ),
    ReportRule("store.table-unread", .plain, "A table keeps rows that are not read."),
    ReportRule("sync.dropped", .values, "The destination dropped a record in silence."),
    ReportRule("sync.refused", .values, "The destination refused a record by an error."),
    ReportRule("sync.removed", .plain, "A record is marked as removed, and is not sent."),
    ReportRule("upload.conflict", .values, "The destination changed while records were sent."),
    ReportRule("upload.fixed", .plain, "A change went out without what only a new record takes."),
    ReportRule("upload.rejected", .values, "The destination refused a record."),
    ReportRule("upload.unknown", .values, "The answer to a request was lost."),
    ReportRule("upload.was-there", .plain, "Somebody else made a record before it was sent."),
    ReportRule("value.date-cut", .plain, "A date lost digits that its field cannot hold."),
    ReportRule("value.lost-file", .plain, "A value names a file that is lost."),
    ReportRule("value.missing", .plain, "A value that is needed is missing."),
    ReportRule("value.no-instant", .plain, "A value is no point in time."),
    ReportRule("value.not-json", .plain, "A value cannot be written as JSON."),
    ReportRule("value.other-kind", .plain, "A value is of another kind than its attribute."),
    ReportRule("verify.different", .plain, "A record differs at the destination."),
    ReportRule("verify.files-unread", .plain, "Nobody can look at the files that were sent."),
    ReportRule("verify.missing", .plain, "A record is not at the destination any more."),
    ReportRule("verify.stray-file", .identities, "A file lies there that no run sent."),
    ReportRule("verify.strays-unknown", .values, "The destination does not list its files."),
    ReportRule("verify.unfinished-file", .identities, "The sending of a file was not ended."),
    ReportRule("verify.surplus", .plain, "The destination holds a record that no run made."),
    ReportRule("verify.unsent", .plain, "A record was not sent."),
    ReportRule(
      "wire.missing-file",
      .identities,
      "A record names a file that is not at the destination."
    ),
    ReportRule("wire.too-long", .plain, "The destination takes no text of this length."),
    ReportRule("wire.too-old", .plain, "The destination makes no record of a moment so long ago."),
    ReportRule("wire.unsendable", .plain, "A value is of a kind that cannot be sent."),
    ReportRule(
      "wire.missing-reference",
      .identities,
      "A record names another that is not at the destination."
    ),
  ]
}
