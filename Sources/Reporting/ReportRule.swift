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
    keywordRules, modelRules, resultRules, importNotes, simpleRules, otherRules,
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

  /// The rules that are no more than a code and a sentence, by what the cause and the file may hold.
  private static let simpleRules: [ReportRule] =
    [
      (Redaction.plain, Redaction.plain, plainRules), (.identities, .plain, identityRules),
      (.values, .plain, valueRules), (.identities, .identities, fileIdentityRules),
      (.values, .identities, fileValueRules),
    ].flatMap { cause, file, rules in
      rules.map { ReportRule($0.key, cause, $0.value, file: file) }
    }

  private static let plainRules: KeyValuePairs<String, String> = [
    "column.unknown": "A table has no column for a field.",
    "container.files-other": "Files of the container are no stores.",
    "container.store-missing": "The container lacks a store that is expected.",
    "couchbase.attachments-missing": "The folder of a database's files is missing.",
    "couchbase.blobs-in-lists": "Blobs lie where no attribute names their files.",
    "couchbase.documents-conflicted": "Documents have conflicts; their current revisions are read.",
    "couchbase.documents-deleted": "Deleted documents are left out.",
    "couchbase.documents-expiring": "The times at which documents expire are left out.",
    "destination.dropped": "The destination took a record and did not keep it.",
    "destination.forgotten-keys": "Keys of old requests may be forgotten.",
    "destination.duplicate": "The destination holds a record more than once.",
    "json.malformed": "A document is not JSON.",
    "package.damaged": "The package is not as it was sealed.",
    "package.missing": "A file of the package is missing.",
    "package.unreadable": "A file of the package cannot be read.",
    "plan.absent": "Records that were sent are no longer in the store.",
    "plan.conflict": "A record is in conflict, and nothing of it is sent.",
    "plan.deletions": "A rollback does not restore what a run deletes.",
    "plan.file-skipped": "Files are not sent where records have addresses of theirs.",
    "plan.file-unchecked": "Files of records that are created again are not sent again.",
    "plan.final-removal": "A rollback would remove for good what the run makes.",
    "plan.skipped": "Records are not sent; the finding gives the reason.",
    "plan.made-again": "Records that were removed are created again.",
    "plan.overtaken": "Another device sent records before an interrupted run did.",
    "plan.queued": "A change in the app's own queue is not replayed.",
    "plan.queue-reversed": "A rollback reversed a queued change that the app no longer has.",
    "plan.queue-unreplayed": "No change in the app's own queue is replayed.",
    "plan.returned": "The destination has records again that a run deleted.",
    "plan.shortened": "Texts are cut to what the destination takes.",
    "plan.remote-newer": "The destination has newer content, which stays.",
    "plan.unlisted": "Records exist that the list does not show.",
    "plan.unmapped": "The destination has no place for a field or a record.",
    "plan.conflict-kept-remote": "A conflict kept the destination's content.",
    "realm.sync-history": "The history of Realm's sync is left out.",
    "realm.unsent-rows": "The rows of an asymmetric class are exported.",
    "record.duplicate-key": "Two records have the same key.",
    "record.key": "A record has no key.",
    "record.key-zero": "A record's key holds a zero character.",
    "record.large": "A record is larger than the destination takes.",
    "record.no-key": "A record has no key.",
    "record.quarantined": "A record is not valid and is quarantined.",
    "record.shared-identity": "Two records have one identity of the server's.",
    "record.too-large": "A record is larger than any that is exported.",
    "reference.kept": "A link leads to no record, and is kept.",
    "reference.left-out": "A link leads to no record, and is left out.",
    "reference.row-missing": "A foreign key leads to no row, and is left out.",
    "replay.doubled": "Two lines repair one record.",
    "replay.no-record": "A line of repairs is not a record.",
    "rollback.deleted": "A rollback does not restore what its run deleted.",
    "rollback.final-removal": "A rollback removes records that no later run can create again.",
    "rollback.not-restored": "A restored record is not at the destination.",
    "rollback.retired": "A server retires what it removes, and answers of it.",
    "rollback.still-present": "The destination still has a record that a rollback removed.",
    "store.foreign-key-collation": "A foreign key leads to equal bytes only.",
    "store.passing-keys": "Rows are known by places that may change.",
    "store.rows-of-abstract":
      "The store has rows of an abstract entity that the profile does not describe.",
    "store.table-unread": "A table keeps rows that are not read.",
    "sync.removed-for-good":
      "The destination removed a record of this identity, and takes no other one.",
    "sync.removed": "A record is marked as removed, and is not sent.",
    "upload.fixed": "A change was sent without the fields that only a new record takes.",
    "upload.already-exists": "Another device created a record before it was sent.",
    "value.date-cut": "A date lost digits that its field cannot hold.",
    "value.missing-file": "A value names a file that is lost.",
    "value.missing": "A value that is needed is missing.",
    "value.no-instant": "A value is not a point in time.",
    "value.not-decoded": "Bytes are not the archive or list that they should be.",
    "value.not-json": "A value cannot be written as JSON.",
    "value.not-utf8": "A text is not UTF-8.",
    "value.other-kind": "A value is of another kind than its attribute.",
    "verify.conflicted": "A conflict left the destination's content.",
    "verify.different": "A record differs at the destination.",
    "verify.files-unread": "The destination does not let the sent files be read.",
    "verify.not-deleted": "A record that was deleted is still at the destination.",
    "verify.missing": "A record is not at the destination any more.",
    "verify.untracked": "The destination holds a record that no run made.",
    "verify.unsent": "A record was not sent.",
    "request.too-long": "The destination takes no text of this length.",
    "request.too-old": "The destination makes no record of a moment so long ago.",
    "request.rounded": "The destination would round a number.",
    "request.unsendable": "A value is of a kind that cannot be sent.",
  ]

  private static let identityRules: KeyValuePairs<String, String> = [
    "checkpoint.beyond-repair": "A checkpoint cannot be repaired.",
    "checkpoint.damaged": "A checkpoint is damaged.",
    "checkpoint.damaged-page": "A page of a checkpoint is damaged.",
    "checkpoint.neighbour-unread": "A checkpoint of another store cannot be read.",
    "checkpoint.open-operation": "Operations of a finished run are not settled.",
    "checkpoint.sealed": "A part of a checkpoint is encrypted and cannot be read.",
    "checkpoint.shared-place": "Two records have one place at the destination.",
    "checkpoint.unknown-row": "A row of a checkpoint is unknown.",
    "checkpoint.unknown-table": "A table of a checkpoint is unknown.",
    "checkpoint.orphaned-operation": "Operations belong to no run.",
    "checkpoint.missing-text": "A long text in a checkpoint is gone.",
    "checkpoint.torn-digest": "A digest in a checkpoint is not whole.",
    "checkpoint.unfinished-runs": "More runs than one are not finished.",
    "checkpoint.unknown-action": "Operations have an unknown action.",
    "checkpoint.unknown-kind": "Runs are of an unknown kind.",
    "checkpoint.unknown-stage": "Runs are at an unknown stage.",
    "checkpoint.unknown-state": "Operations are in an unknown state.",
    "checkpoint.unreadable": "A checkpoint cannot be read.",
    "couchbase.files-missing": "Files that documents name are missing.",
    "export.key": "A record has a member of its own under the name of its key.",
    "export.secret": "A secret stays out of the package.",
    "identity.by-chance":
      "Records are known by an attribute that only happens to differ in all rows.",
    "identity.displaced": "The destination reused a record's identity for another record.",
    "identity.missing-key": "Rows have no value in the store's own key.",
    "identity.unknown": "A record's identity cannot be determined.",
    "preferences.entity-name": "A key cannot name an entity.",
    "preferences.key-family": "Keys that end in a UUID are rows of an entity.",
    "preferences.field-renamed": "A member has another name in the package.",
    "preferences.system-keys": "Keys of the system are left out.",
    "preferences.too-many-names": "Records have too many names.",
    "preferences.value-changed": "A value was changed to fit JSON.",
    "record.no-identity": "A record has no identity.",
    "reference.dangling": "A reference leads to no record.",
    "restore.gone": "A record to be restored is gone.",
    "restore.unknown": "The content before the run is unknown.",
    "store.column-missing": "A table lacks a column of the model.",
    "store.column-mixed": "A column holds values of several classes.",
    "store.column-renamed": "A column has another name in the package.",
    "store.column-unknown": "The model does not explain columns.",
    "store.damaged": "The store's file is damaged.",
    "store.damaged-rows": "Rows of a file cannot be read.",
    "store.damaged-table": "A table of a damaged file cannot be read.",
    "store.entity-elsewhere": "An entity belongs to another configuration of the model.",
    "store.entity-names-differ": "The store names other entities than its model.",
    "store.entity-renamed": "The store and the model call an entity differently.",
    "store.entity-unknown": "No model has an entity of the store.",
    "store.foreign-key": "A foreign key is not followed.",
    "store.inverse-differs": "Two sides of a relationship differ.",
    "store.log-tail": "The write-ahead log ends with frames that are not read.",
    "store.log-unused": "A write-ahead log is not of this file.",
    "store.member-unread": "A file has members that hold no records.",
    "store.model-differs": "The store was written with another model.",
    "store.model-given": "The store is read with a model that was given.",
    "store.model-missing": "The store has no usable model.",
    "store.model-not-needed": "A model was given and not needed.",
    "store.names-lost": "An XML store keeps names in lower case only.",
    "store.names-unrecoverable": "The spelling of names is not in the store.",
    "store.no-uuid": "An XML store has no UUID.",
    "store.null-and-absent": "Some rows of a file have null where others have no member.",
    "store.not-rescued": "Views and virtual tables were left out.",
    "store.index-unchecked": "Indexes were not compared with their tables.",
    "store.probable-files": "Values look like names of files.",
    "store.reference-dangling": "A reference leads to no object.",
    "store.relationship-missing": "No table holds a relationship.",
    "store.rows-without-entity": "Rows belong to no entity.",
    "store.table-missing": "A table of the model is missing.",
    "store.table-renamed": "A table has another name in the package.",
    "store.schema-unparsed": "SQLite cannot parse a trigger, view or index.",
    "store.table-unparsed": "SQLite cannot parse how a table is declared.",
    "store.unchecked": "A part of the store could not be checked for damage.",
    "store.value-malformed": "Values of an XML store are not of their type.",
    "verify.orphaned-file": "The destination has a file that no run sent.",
    "verify.unfinished-file": "The sending of a file was not ended.",
    "version.unknown": "The version of a record is not known.",
    "request.missing-file": "A record names a file that is not at the destination.",
    "request.missing-reference": "A record names another that was not sent.",
  ]

  private static let valueRules: KeyValuePairs<String, String> = [
    "batch.failed": "A whole batch was refused.",
    "body.form": "The form of a request does not fit a record.",
    "column.type": "A value does not fit the type of its column.",
    "destination.keeps-failing": "The destination fails at one record.",
    "destination.refused": "The destination refused a record.",
    "destination.spelling": "The destination spells identities its own way.",
    "destination.unreadable": "The destination's answer cannot be read.",
    "identity.unfit": "A record's identity is not valid at the destination.",
    "plan.decided": "A person decided a conflict.",
    "plan.kept-remote": "Earlier conflicts kept the destination's content.",
    "plan.merged": "A merge of both sides lost something.",
    "plan.older-copy": "The store has earlier content of records that were not read.",
    "plan.state": "Records have a state that the profile does not list.",
    "record.not-json": "A record is not JSON.",
    "record.unreadable": "A record cannot be read.",
    "rollback.unread": "A record that was rolled back cannot be read.",
    "sync.dropped": "The destination dropped a record in silence.",
    "sync.refused": "The destination refused a record by an error.",
    "upgrade.kind": "A value is of another kind than its upgrade expects.",
    "upgrade.rest": "A value has more parts than its upgrade names.",
    "upgrade.name-in-use": "A record has a member under a new name already.",
    "upgrade.value": "An upgrade has no rule for a value.",
    "upload.conflict": "The destination changed while records were sent.",
    "upload.rejected": "The destination refused a record.",
    "upload.unnamed":
      "The destination created a record, as it answered, and none like it is there.",
    "upload.unknown": "The answer to a request was lost.",
    "verify.files-unlisted": "The destination does not list its files.",
    "verify.unknown": "The destination does not show whether it has what was sent.",
  ]

  private static let fileIdentityRules: KeyValuePairs<String, String> = [
    "fleet.store": "A store of a fleet is not done.",
    "container.database-unread": "A database of the container is not read.",
    "container.file-unread": "A file of the container is not read.",
    "container.skipped": "A folder of the container is not looked into.",
    "media.changed": "A media file is not what it was at export.",
    "media.container-link": "The container is a link, and not followed.",
    "media.container-outside": "The container is outside of the store's folder, and not read.",
    "media.fetch-address": "An address of a media file is not asked.",
    "media.fetch-limit": "No more media files were asked for.",
    "media.fetch-other-kind": "An address gives no file of its kind.",
    "media.fetch-redirected": "The way to a media file is not gone.",
    "media.fetch-refused": "An address does not give its media file.",
    "media.fetch-too-large": "A media file is larger than is allowed.",
    "media.fetch-unreachable": "A media file did not arrive.",
    "media.missing": "A media file that a record names is missing.",
    "media.occupied": "Another file lies where a media file should go.",
    "media.orphaned": "A media file belongs to no record.",
    "media.too-large": "A media file is larger than the destination takes.",
    "media.unknown": "A media file's outcome is unknown.",
    "media.unreadable": "A media file cannot be read.",
  ]

  private static let fileValueRules: KeyValuePairs<String, String> = [
    "import.date-form": "A result's date has no known form.",
    "import.date-unit": "The unit of a date's number is unknown.",
    "import.duplicate-differs": "A result was shared twice, differently.",
    "import.game-id-reused": "Two games have the same identity.",
    "import.no-date": "A result has no date.",
    "import.part-refused": "A part of a text was refused.",
    "import.refused": "A text was refused.",
    "import.stored-only": "A value is stored and follows from no result.",
    "import.streak-differs": "A stored streak differs from the results.",
    "media.parts-unlisted": "Parts of a file may be left at the destination.",
    "media.unexpected": "The destination's answer about a file is unexpected.",
  ]

  private static let otherRules: [ReportRule] = [
    ReportRule(
      "container.store-unread",
      .identities,
      "A store of the container cannot be read.",
      cure: .identities,
      file: .identities
    ),
    ReportRule(
      "import.perhaps-own",
      .values,
      "A result may be the owner's, under another name.",
      cure: .values,
      file: .identities
    ),
    ReportRule(
      "media.fetch-unlisted",
      .plain,
      "More media files did not arrive than are listed.",
      file: .identities
    ),
    ReportRule(
      "media.refused",
      .plain,
      "Names of media lead out, or to no file that is taken.",
      file: .identities
    ),
    ReportRule(
      "package.unnamed-file",
      .plain,
      "A file in the package's folder is not a part of it.",
      file: .identities
    ),
    ReportRule(
      "replay.unknown",
      .plain,
      "A repair matches no quarantined record.",
      cure: .identities
    ),
  ]
}
