/// A rule that findings name by their code: what it means, and which parts of a finding may be shown where.
///
/// Every code that the program has is in the catalogue, each with what its parts may hold. Of a finding
/// with another code nothing is shown but the code: no one has said what may appear in it.
package struct ReportRule: Hashable, Sendable {
  /// What a part of a finding may hold beside the names of entities and fields.
  package enum Redaction: Sendable {
    /// Names and counts only: it is always shown.
    case plain
    /// A pointer whose first name is the profile's, and whose others may be data: only the first is shown
    /// where identities are hidden.
    case outermost
    /// What says who or which record it is: it is shown where identities are.
    case identities
    /// Words of the store or the destination, which may quote values: it is shown where values are.
    case values
  }

  package let code: String
  /// What is the matter, in one sentence that is true of every finding.
  package let summary: String
  package let cause: Redaction
  package let cure: Redaction
  package let pointer: Redaction
  package let file: Redaction
  /// Whether the catalogue has the code.
  package let isListed: Bool

  private init(
    _ code: String,
    _ cause: Redaction,
    _ summary: String,
    cure: Redaction = .plain,
    pointer: Redaction = .plain,
    file: Redaction = .plain,
    isListed: Bool = true
  ) {
    self.code = code
    self.summary = summary
    self.cause = cause
    self.cure = cure
    self.pointer = pointer
    self.file = file
    self.isListed = isListed
  }

  /// The rule of this code; one that shows nothing where the catalogue does not have it.
  package init(code: String) {
    self =
      Self.byCode[code] ?? Self.answered(code)
      ?? ReportRule(
        code,
        .values,
        "The catalogue of rules does not have this code, so nothing else of the finding is shown.",
        cure: .values,
        pointer: .values,
        file: .values,
        isListed: false
      )
  }

  /// The rule of a code that repeats what a destination answered: a status of HTTP, or a word of CloudKit
  /// in capital letters.
  private static func answered(_ code: String) -> ReportRule? {
    let parts = code.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let word = parts[1].utf8
    let isStatus = word.count == 3 && word.allSatisfy({ (0x30...0x39).contains($0) })
    let isWord =
      (1...64).contains(word.count)
      && word.allSatisfy({ (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") })
    switch parts[0] {
    case "http" where isStatus:
      return ReportRule(code, .values, "The destination answered \(parts[1]).")
    case "cloudkit" where isWord:
      return ReportRule(code, .values, "CloudKit refused a record: \(parts[1]).")
    default: return nil
    }
  }

  private static let byCode = Dictionary(
    known.map { ($0.code, $0) },
    uniquingKeysWith: { first, _ in first }
  )

  /// The catalogue: the rules that every table of rules lists, whether anything was found or not.
  package static let known: [ReportRule] = [
    keywordRules, modelRules, resultRules, importNotes, otherRules,
  ].flatMap(\.self)

  /// A keyword of a schema each.
  ///
  /// The cause is in the schema's words; what was found is a part by itself.
  private static let keywordRules: [ReportRule] = {
    let keywords = [
      "type", "const", "enum", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
      "exclusiveMinimum", "maxLength", "minLength", "pattern", "format", "contentEncoding",
      "contentMediaType", "maxItems", "minItems", "uniqueItems", "contains", "maxContains",
      "minContains", "maxProperties", "minProperties", "required", "dependentRequired",
      "dependencies", "items", "additionalItems", "unevaluatedItems", "anyOf", "oneOf", "not",
      "false", "effort", "depth",
    ]
    var rules = keywords.map { keyword in
      ReportRule(
        "schema.\(keyword)",
        .plain,
        "A record breaks the keyword “\(keyword)” of its schema.",
        pointer: .outermost
      )
    }
    // The name that no schema has is data.
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
      rules.append(
        ReportRule(
          "schema.\(keyword)",
          .identities,
          "A record breaks the keyword “\(keyword)” of its schema.",
          pointer: .identities
        )
      )
    }
    rules.append(
      ReportRule(
        "schema.pattern-undecided",
        .plain,
        "A pattern of a schema is not decided: it takes too many steps, or asks for a newer character.",
        pointer: .outermost
      )
    )
    return rules
  }()

  private static let modelRules: [ReportRule] =
    [
      "attribute-added", "attribute-default", "attribute-derivation", "attribute-removed",
      "attribute-renamed", "attribute-required", "attribute-to-relationship",
      "attribute-transient", "attribute-type", "case-added", "case-removed", "delete-rule",
      "element-added", "element-removed", "entity-abstract", "entity-added", "entity-removed",
      "entity-renamed", "relationship-added", "relationship-count", "relationship-destination",
      "relationship-inverse", "relationship-ordered", "relationship-removed",
      "relationship-renamed", "relationship-required", "relationship-to-many",
      "relationship-to-one", "relationship-unordered", "superentity-changed", "unique-added",
      "unique-removed",
    ].map { name in
      ReportRule("model.\(name)", .plain, "Two models differ: \(name).")
    }

  /// A member of a stored result that its text contradicts, each.
  private static let resultRules: [ReportRule] =
    [
      "completed", "game", "hardMode", "identity", "origin", "player", "puzzleDay", "puzzleNumber",
      "score", "timeSeconds", "variant",
    ].map { name in
      ReportRule(
        "import.\(name)-differs",
        .values,
        "A stored result differs from its text: \(name).",
        file: .identities
      )
    }

  /// What an import says of a file without refusing anything.
  private static let importNotes: [ReportRule] = [
    ReportRule("characters", .values, "A reference to a character of a file names none."),
    ReportRule("date-order", .values, "The order of day and month in dates is in doubt."),
    ReportRule("depth", .values, "Values of a file lie too deep to be read."),
    ReportRule("left-out", .values, "A part of a file is not read."),
    ReportRule("list", .values, "A list of a file is read in parts."),
    ReportRule("queue", .values, "A list of names and the members of a file differ."),
  ]

  private static let otherRules: [ReportRule] = [
    ReportRule("batch.failed", .values, "A whole batch was refused."),
    ReportRule("body.form", .values, "The form of a request does not fit a record."),
    ReportRule("checkpoint.beyond-repair", .identities, "A checkpoint cannot be repaired."),
    ReportRule("checkpoint.damaged", .identities, "A checkpoint is damaged."),
    ReportRule("fleet.store", .identities, "A store of a fleet is not done.", file: .identities),
    ReportRule("checkpoint.damaged-page", .identities, "A page of a checkpoint is damaged."),
    ReportRule(
      "checkpoint.neighbour-unread",
      .identities,
      "A checkpoint of another store cannot be read."
    ),
    ReportRule(
      "checkpoint.open-operation",
      .identities,
      "Operations of a finished run are not settled."
    ),
    ReportRule(
      "checkpoint.sealed",
      .identities,
      "A part of a checkpoint is encrypted and cannot be read."
    ),
    ReportRule(
      "checkpoint.shared-place",
      .identities,
      "Two records have one place at the destination."
    ),
    ReportRule("checkpoint.unknown-row", .identities, "A row of a checkpoint is unknown."),
    ReportRule("checkpoint.unknown-table", .identities, "A table of a checkpoint is unknown."),
    ReportRule("checkpoint.orphaned-operation", .identities, "Operations belong to no run."),
    ReportRule("checkpoint.missing-text", .identities, "A long text in a checkpoint is gone."),
    ReportRule("checkpoint.torn-digest", .identities, "A digest in a checkpoint is not whole."),
    ReportRule("checkpoint.unfinished-runs", .identities, "More runs than one are not finished."),
    ReportRule("checkpoint.unknown-action", .identities, "Operations have an unknown action."),
    ReportRule("checkpoint.unknown-kind", .identities, "Runs are of an unknown kind."),
    ReportRule("checkpoint.unknown-stage", .identities, "Runs are at an unknown stage."),
    ReportRule("checkpoint.unknown-state", .identities, "Operations are in an unknown state."),
    ReportRule("checkpoint.unreadable", .identities, "A checkpoint cannot be read."),
    ReportRule("column.type", .values, "A value does not fit the type of its column."),
    ReportRule("column.unknown", .plain, "A table has no column for a field."),
    ReportRule(
      "container.database-unread",
      .identities,
      "A database of the container is not read.",
      file: .identities
    ),
    ReportRule(
      "container.file-unread",
      .identities,
      "A file of the container is not read.",
      file: .identities
    ),
    ReportRule("container.files-other", .plain, "Files of the container are no stores."),
    ReportRule(
      "container.skipped",
      .identities,
      "A folder of the container is not looked into.",
      file: .identities
    ),
    ReportRule("container.store-missing", .plain, "The container lacks a store that is expected."),
    ReportRule(
      "container.store-unread",
      .identities,
      "A store of the container cannot be read.",
      cure: .identities,
      file: .identities
    ),
    ReportRule(
      "couchbase.attachments-missing",
      .plain,
      "The folder of a database's files is missing."
    ),
    ReportRule(
      "couchbase.blobs-in-lists",
      .plain,
      "Blobs lie where no attribute names their files."
    ),
    ReportRule(
      "couchbase.documents-conflicted",
      .plain,
      "Documents have conflicts; their current revisions are read."
    ),
    ReportRule("couchbase.documents-deleted", .plain, "Deleted documents are left out."),
    ReportRule(
      "couchbase.documents-expiring",
      .plain,
      "The times at which documents expire are left out."
    ),
    ReportRule("couchbase.files-missing", .identities, "Files that documents name are missing."),
    ReportRule("destination.dropped", .plain, "The destination took a record and did not keep it."),
    ReportRule("destination.forgotten-keys", .plain, "Keys of old requests may be forgotten."),
    ReportRule("destination.keeps-failing", .values, "The destination fails at one record."),
    ReportRule("destination.refused", .values, "The destination refused a record."),
    ReportRule("destination.spelling", .values, "The destination spells identities its own way."),
    ReportRule("destination.duplicate", .plain, "The destination holds a record more than once."),
    ReportRule("destination.unreadable", .values, "The destination's answer cannot be read."),
    ReportRule(
      "export.key",
      .identities,
      "A record has a member of its own under the name of its key."
    ),
    ReportRule("export.secret", .identities, "A secret stays out of the package."),
    ReportRule(
      "identity.displaced",
      .identities,
      "The destination reused a record's identity for another record."
    ),
    ReportRule("identity.unfit", .values, "A record's identity is not valid at the destination."),
    ReportRule("identity.unknown", .identities, "A record's identity cannot be determined."),
    ReportRule(
      "import.date-form",
      .values,
      "A result's date has no known form.",
      file: .identities
    ),
    ReportRule(
      "import.date-unit",
      .values,
      "The unit of a date's number is unknown.",
      file: .identities
    ),
    ReportRule(
      "import.duplicate-differs",
      .values,
      "A result was shared twice, differently.",
      file: .identities
    ),
    ReportRule(
      "import.game-id-reused",
      .values,
      "Two games have the same identity.",
      file: .identities
    ),
    ReportRule("import.no-date", .values, "A result has no date.", file: .identities),
    ReportRule("import.part-refused", .values, "A part of a text was refused.", file: .identities),
    ReportRule(
      "import.perhaps-own",
      .values,
      "A result may be the owner's, under another name.",
      cure: .values,
      file: .identities
    ),
    ReportRule("import.refused", .values, "A text was refused.", file: .identities),
    ReportRule(
      "import.stored-only",
      .values,
      "A value is stored and follows from no result.",
      file: .identities
    ),
    ReportRule(
      "import.streak-differs",
      .values,
      "A stored streak differs from the results.",
      file: .identities
    ),
    ReportRule("json.malformed", .plain, "A document is not JSON."),
    ReportRule(
      "media.changed",
      .identities,
      "A media file is not what it was at export.",
      file: .identities
    ),
    ReportRule(
      "media.container-link",
      .identities,
      "The container is a link, and not followed.",
      file: .identities
    ),
    ReportRule(
      "media.container-outside",
      .identities,
      "The container is outside of the store's folder, and not read.",
      file: .identities
    ),
    ReportRule(
      "media.fetch-address",
      .identities,
      "An address of a media file is not asked.",
      file: .identities
    ),
    ReportRule(
      "media.fetch-limit",
      .identities,
      "No more media files were asked for.",
      file: .identities
    ),
    ReportRule(
      "media.fetch-other-kind",
      .identities,
      "An address gives no file of its kind.",
      file: .identities
    ),
    ReportRule(
      "media.fetch-redirected",
      .identities,
      "The way to a media file is not gone.",
      file: .identities
    ),
    ReportRule(
      "media.fetch-refused",
      .identities,
      "An address does not give its media file.",
      file: .identities
    ),
    ReportRule(
      "media.fetch-too-large",
      .identities,
      "A media file is larger than is allowed.",
      file: .identities
    ),
    ReportRule(
      "media.fetch-unlisted",
      .plain,
      "More media files did not arrive than are listed.",
      file: .identities
    ),
    ReportRule(
      "media.fetch-unreachable",
      .identities,
      "A media file did not arrive.",
      file: .identities
    ),
    ReportRule(
      "media.missing",
      .identities,
      "A media file that a record names is missing.",
      file: .identities
    ),
    ReportRule(
      "media.occupied",
      .identities,
      "Another file lies where a media file should go.",
      file: .identities
    ),
    ReportRule(
      "media.parts-unlisted",
      .values,
      "Parts of a file may be left at the destination.",
      file: .identities
    ),
    ReportRule(
      "media.refused",
      .plain,
      "Names of media lead out, or to no file that is taken.",
      file: .identities
    ),
    ReportRule(
      "media.orphaned",
      .identities,
      "A media file belongs to no record.",
      file: .identities
    ),
    ReportRule(
      "media.too-large",
      .identities,
      "A media file is larger than the destination takes.",
      file: .identities
    ),
    ReportRule(
      "media.unexpected",
      .values,
      "The destination's answer about a file is unexpected.",
      file: .identities
    ),
    ReportRule(
      "media.unknown",
      .identities,
      "A media file's outcome is unknown.",
      file: .identities
    ),
    ReportRule("media.unreadable", .identities, "A media file cannot be read.", file: .identities),
    ReportRule("package.damaged", .plain, "The package is not as it was sealed."),
    ReportRule("package.missing", .plain, "A file of the package is missing."),
    ReportRule(
      "package.unnamed-file",
      .plain,
      "A file in the package's folder is not a part of it.",
      file: .identities
    ),
    ReportRule("package.unreadable", .plain, "A file of the package cannot be read."),
    ReportRule("plan.absent", .plain, "Records that were sent are no longer in the store."),
    ReportRule("plan.conflict", .plain, "Both sides changed a record."),
    ReportRule("plan.decided", .values, "A person decided a conflict."),
    ReportRule("plan.deletions", .plain, "A rollback does not restore what a run deletes."),
    ReportRule(
      "plan.file-skipped",
      .plain,
      "Files are not sent where records have addresses of theirs."
    ),
    ReportRule(
      "plan.file-unchecked",
      .plain,
      "Files of records that are created again are not sent again."
    ),
    ReportRule(
      "plan.final-removal",
      .plain,
      "A rollback removes for good what the run creates."
    ),
    ReportRule("plan.skipped", .plain, "Records are not sent; the finding gives the reason."),
    ReportRule("plan.made-again", .plain, "Records that were removed are created again."),
    ReportRule("plan.kept-remote", .values, "Earlier conflicts kept the destination's content."),
    ReportRule("plan.merged", .values, "A merge of both sides lost something."),
    ReportRule(
      "plan.overtaken",
      .plain,
      "Another device sent records before an interrupted run did."
    ),
    ReportRule("plan.queued", .plain, "A change in the app's own queue is not replayed."),
    ReportRule(
      "plan.queue-reversed",
      .plain,
      "A rollback reversed a queued change that the app no longer has."
    ),
    ReportRule(
      "plan.queue-unreplayed",
      .plain,
      "No change in the app's own queue is replayed."
    ),
    ReportRule("plan.returned", .plain, "The destination has records again that a run deleted."),
    ReportRule("plan.shortened", .plain, "Texts are cut to what the destination takes."),
    ReportRule("plan.state", .values, "Records have a state that the profile does not list."),
    ReportRule("plan.remote-newer", .plain, "The destination has newer content, which stays."),
    ReportRule("plan.unlisted", .plain, "Records exist that the list does not show."),
    ReportRule("plan.unmapped", .plain, "The destination has no place for a field or a record."),
    ReportRule("plan.conflict-kept-remote", .plain, "A conflict kept the destination's content."),
    ReportRule("preferences.entity-name", .identities, "A key cannot name an entity."),
    ReportRule(
      "preferences.key-family",
      .identities,
      "Keys that end in a UUID are rows of an entity."
    ),
    ReportRule(
      "preferences.field-renamed",
      .identities,
      "A member has another name in the package."
    ),
    ReportRule("preferences.system-keys", .identities, "Keys of the system are left out."),
    ReportRule("preferences.too-many-names", .identities, "Records have too many names."),
    ReportRule("preferences.value-changed", .identities, "A value was changed to fit JSON."),
    ReportRule("realm.sync-history", .plain, "The history of Realm's sync is left out."),
    ReportRule("realm.unsent-rows", .plain, "The rows of an asymmetric class are exported."),
    ReportRule("record.duplicate-key", .plain, "Two records have the same key."),
    ReportRule("record.key", .plain, "A record has no key."),
    ReportRule("record.key-zero", .plain, "A record's key holds a zero character."),
    ReportRule("record.large", .plain, "A record is larger than the destination takes."),
    ReportRule("record.no-identity", .identities, "A record has no identity."),
    ReportRule("record.no-key", .plain, "A record has no key."),
    ReportRule("record.not-json", .values, "A record is not JSON."),
    ReportRule("record.quarantined", .plain, "A record is not valid and is quarantined."),
    ReportRule("record.shared-identity", .plain, "Two records have one identity of the server's."),
    ReportRule("record.too-large", .plain, "A record is larger than any that is exported."),
    ReportRule("record.unreadable", .values, "A record cannot be read."),
    ReportRule("reference.dangling", .identities, "A reference leads to no record."),
    ReportRule("reference.kept", .plain, "A link leads to no record, and is kept."),
    ReportRule("reference.left-out", .plain, "A link leads to no record, and is left out."),
    ReportRule("reference.row-missing", .plain, "A foreign key leads to no row, and is left out."),
    ReportRule("replay.doubled", .plain, "Two lines repair one record."),
    ReportRule("replay.no-record", .plain, "A line of repairs is not a record."),
    ReportRule(
      "replay.unknown",
      .plain,
      "A repair matches no quarantined record.",
      cure: .identities
    ),
    ReportRule("restore.gone", .identities, "A record to be restored is gone."),
    ReportRule("restore.unknown", .identities, "The content before the run is unknown."),
    ReportRule("rollback.deleted", .plain, "A rollback does not restore what its run deleted."),
    ReportRule(
      "rollback.final-removal",
      .plain,
      "A rollback removes records that no later run can create again."
    ),
    ReportRule("rollback.not-restored", .plain, "A restored record is not at the destination."),
    ReportRule("rollback.retired", .plain, "A server retires what it removes, and answers of it."),
    ReportRule(
      "rollback.still-present",
      .plain,
      "The destination still has a record that a rollback removed."
    ),
    ReportRule("rollback.unread", .values, "A record that was rolled back cannot be read."),
    ReportRule("store.column-missing", .identities, "A table lacks a column of the model."),
    ReportRule("store.column-mixed", .identities, "A column holds values of several classes."),
    ReportRule("store.column-renamed", .identities, "A column has another name in the package."),
    ReportRule("store.column-unknown", .identities, "The model does not explain columns."),
    ReportRule("store.damaged", .identities, "The store's file is damaged."),
    ReportRule("store.damaged-rows", .identities, "Rows of a file cannot be read."),
    ReportRule("store.damaged-table", .identities, "A table of a damaged file cannot be read."),
    ReportRule(
      "store.entity-elsewhere",
      .identities,
      "An entity belongs to another configuration of the model."
    ),
    ReportRule(
      "store.entity-names-differ",
      .identities,
      "The store names other entities than its model."
    ),
    ReportRule(
      "store.entity-renamed",
      .identities,
      "The store and the model call an entity differently."
    ),
    ReportRule("store.entity-unknown", .identities, "No model has an entity of the store."),
    ReportRule("store.foreign-key", .identities, "A foreign key is not followed."),
    ReportRule("store.foreign-key-collation", .plain, "A foreign key leads to equal bytes only."),
    ReportRule("store.inverse-differs", .identities, "Two sides of a relationship differ."),
    ReportRule(
      "store.log-tail",
      .identities,
      "The write-ahead log ends with frames that are not read."
    ),
    ReportRule("store.log-unused", .identities, "A write-ahead log is not of this file."),
    ReportRule("store.member-unread", .identities, "A file has members that hold no records."),
    ReportRule("store.model-differs", .identities, "The store was written with another model."),
    ReportRule("store.model-given", .identities, "The store is read with a model that was given."),
    ReportRule("store.model-missing", .identities, "The store has no usable model."),
    ReportRule("store.model-not-needed", .identities, "A model was given and not needed."),
    ReportRule("store.names-lost", .identities, "An XML store keeps names in lower case only."),
    ReportRule(
      "store.names-unrecoverable",
      .identities,
      "The spelling of names is not in the store."
    ),
    ReportRule("store.no-uuid", .identities, "An XML store has no UUID."),
    ReportRule(
      "store.null-and-absent",
      .identities,
      "Some rows of a file have null where others have no member."
    ),
    ReportRule("store.not-rescued", .identities, "Views and virtual tables were left out."),
    ReportRule(
      "store.index-unchecked",
      .identities,
      "Indexes were not compared with their tables."
    ),
    ReportRule("store.passing-keys", .plain, "Rows are known by places that may change."),
    ReportRule("store.probable-files", .identities, "Values look like names of files."),
    ReportRule("store.reference-dangling", .identities, "A reference leads to no object."),
    ReportRule("store.relationship-missing", .identities, "No table holds a relationship."),
    ReportRule(
      "store.rows-of-abstract",
      .plain,
      "The store has rows of an abstract entity that the profile does not describe."
    ),
    ReportRule("store.rows-without-entity", .identities, "Rows belong to no entity."),
    ReportRule("store.table-missing", .identities, "A table of the model is missing."),
    ReportRule("store.table-renamed", .identities, "A table has another name in the package."),
    ReportRule(
      "store.schema-unparsed",
      .identities,
      "SQLite cannot parse a trigger, view or index."
    ),
    ReportRule("store.table-unparsed", .identities, "SQLite cannot parse how a table is declared."),
    ReportRule("store.table-unread", .plain, "A table keeps rows that are not read."),
    ReportRule(
      "store.unchecked",
      .identities,
      "A part of the store could not be checked for damage."
    ),
    ReportRule(
      "store.value-malformed",
      .identities,
      "Values of an XML store are not of their type."
    ),
    ReportRule(
      "sync.removed-for-good",
      .plain,
      "The destination removed a record of this identity, and takes no other one."
    ),
    ReportRule("sync.dropped", .values, "The destination dropped a record in silence."),
    ReportRule("sync.refused", .values, "The destination refused a record by an error."),
    ReportRule("sync.removed", .plain, "A record is marked as removed, and is not sent."),
    ReportRule("upgrade.kind", .values, "A value is of another kind than its upgrade expects."),
    ReportRule("upgrade.rest", .values, "A value has more parts than its upgrade names."),
    ReportRule("upgrade.name-in-use", .values, "A record has a member under a new name already."),
    ReportRule("upgrade.value", .values, "An upgrade has no rule for a value."),
    ReportRule("upload.conflict", .values, "The destination changed while records were sent."),
    ReportRule(
      "upload.fixed",
      .plain,
      "A change was sent without the fields that only a new record takes."
    ),
    ReportRule("upload.rejected", .values, "The destination refused a record."),
    ReportRule("upload.unknown", .values, "The answer to a request was lost."),
    ReportRule(
      "upload.already-exists",
      .plain,
      "Another device created a record before it was sent."
    ),
    ReportRule("value.date-cut", .plain, "A date lost digits that its field cannot hold."),
    ReportRule("value.missing-file", .plain, "A value names a file that is lost."),
    ReportRule("value.missing", .plain, "A value that is needed is missing."),
    ReportRule("value.no-instant", .plain, "A value is not a point in time."),
    ReportRule(
      "value.not-decoded",
      .plain,
      "Bytes are not the archive or list that they should be."
    ),
    ReportRule("value.not-json", .plain, "A value cannot be written as JSON."),
    ReportRule("value.not-utf8", .plain, "A text is not UTF-8."),
    ReportRule("value.other-kind", .plain, "A value is of another kind than its attribute."),
    ReportRule("verify.conflicted", .plain, "A conflict left the destination's content."),
    ReportRule("verify.different", .plain, "A record differs at the destination."),
    ReportRule(
      "verify.files-unread",
      .plain,
      "The destination does not let the sent files be read."
    ),
    ReportRule(
      "verify.not-deleted",
      .plain,
      "A record that was deleted is still at the destination."
    ),
    ReportRule("verify.missing", .plain, "A record is not at the destination any more."),
    ReportRule("verify.orphaned-file", .identities, "The destination has a file that no run sent."),
    ReportRule("verify.files-unlisted", .values, "The destination does not list its files."),
    ReportRule("verify.untracked", .plain, "The destination holds a record that no run made."),
    ReportRule("verify.unfinished-file", .identities, "The sending of a file was not ended."),
    ReportRule(
      "verify.unknown",
      .values,
      "The destination does not show whether it has what was sent."
    ),
    ReportRule("verify.unsent", .plain, "A record was not sent."),
    ReportRule("version.unknown", .identities, "The version of a record is not known."),
    ReportRule(
      "request.missing-file",
      .identities,
      "A record names a file that is not at the destination."
    ),
    ReportRule(
      "request.missing-reference",
      .identities,
      "A record names another that was not sent."
    ),
    ReportRule("request.too-long", .plain, "The destination takes no text of this length."),
    ReportRule(
      "request.too-old",
      .plain,
      "The destination makes no record of a moment so long ago."
    ),
    ReportRule("request.rounded", .plain, "The destination would round a number."),
    ReportRule("request.unsendable", .plain, "A value is of a kind that cannot be sent."),
  ]
}
