package import Files
package import LongTexts
package import Records
package import UploadPlanning

/// A place that records are moved to.
///
/// A destination keeps these promises, and the contract suite holds each one to them:
///
/// - **An outcome is the truth or unknown.** `stored` and `removed` are said only when the
///   destination answered so for this very item, matched by its identity and not by its place
///   alone. An answer that was cut, malformed or about something else is `unknown`.
/// - **Nothing is sent twice by itself.** One call makes one attempt; patience is the engine's.
/// - **Reading changes nothing.**
/// - **Secrets stay inside.** No error, outcome or description holds a credential.
package protocol Destination: Sendable {
  /// What the destination can do and how a repeat is made safe.
  var traits: DestinationTraits { get }

  /// Signs in if need be and says whose data this is.
  func account() async throws(DestinationError) -> String

  /// Further names by which an app's own store may know the account.
  func accountNames() async throws(DestinationError) -> [String]

  /// Carries one batch out, all of the same entity and action.
  func send(_ batch: OutgoingBatch) async -> BatchAnswer

  /// Reads one page of the records at the account.
  ///
  /// `mark` is where the page before ended, or `nil` for the first. With `since`, only what changed
  /// after this mark of the destination's comes back, otherwise everything.
  func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage

  /// Reads one record, or `nil` when the destination has none of that identity.
  func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord?

  /// Says what the destination has of a media file, where it can.
  func media(_ file: MediaReference) async throws(DestinationError) -> MediaState

  /// Reads one page of the account's media files of a kind: `media:avatar`.
  ///
  /// - Returns: `nil` where the destination cannot list them, or not those of one account alone.
  func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage?

  /// Reads several records by their identities; one that is not there is not in the answer.
  func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords

  /// Those of some operations that the destination noted as carried out, by the notes that their
  /// requests had.
  ///
  /// One that is missing was not carried out, unless its request is still on its way. Only a destination
  /// with ``DestinationTraits/notesOperations`` is asked.
  func noted(
    _ notes: [String],
    of entity: EntityName
  ) async throws(DestinationError) -> [String: NotedOperation]

  /// Has records go and come with a stand-in for each of their long texts from now on; `texts` is where these
  /// lie, and where those that come are put.
  ///
  /// - Returns: `false` for a destination whose records go and come whole all the same.
  func standIn(_ texts: LongTexts) -> Bool

  /// Why the destination takes no record with these fields, as is known without asking it; `nil` where it may.
  ///
  /// `fields` gives a JSON object of all of them, which may have stand-ins for long texts.
  func refusal(of entity: EntityName, _ fields: () -> [UInt8]) -> String?

  /// Asks the destination what its own collections are.
  func remoteSchema() async throws(DestinationError) -> RemoteSchemaAnswer

  /// Looks, by reading alone, at what only this kind of destination has: zones, types of records.
  func preflight() async -> [DestinationCheck]

  /// Compares the fields that are sent with those that the destination says its collections have.
  ///
  /// - Returns: What fits, what does not, and what could not be compared; nothing where the profile names no route
  ///   that says it.
  func schemaChecks() async -> [DestinationCheck]

  /// Looks whether the destination has the routes that media files go through; stores nothing.
  ///
  /// - Returns: Nothing where no file is sent, or where a file needs no route of its own.
  func fileChecks() async -> [DestinationCheck]

  /// Has no request wait for its turn any longer.
  func giveUpWaiting()

  /// That the destination turned out to serve another account than it did first; `nil` where it did not.
  ///
  /// No request is sent.
  func accountFault() async -> DestinationError?
}

extension Destination {
  /// None: the account has one name.
  package func accountNames() async throws(DestinationError) -> [String] { [] }

  package func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    .unknowable
  }

  package func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? { nil }

  /// Reads them one by one.
  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    var found = RemoteRecords()
    for serverID in serverIDs {
      found[serverID] = try await record(of: entity, serverID: serverID)
    }
    return found
  }

  /// None: nothing is noted.
  package func noted(
    _ notes: [String],
    of entity: EntityName
  ) async throws(DestinationError) -> [String: NotedOperation] { [:] }

  /// Records go and come whole.
  package func standIn(_ texts: LongTexts) -> Bool { false }

  /// None is known.
  package func refusal(of entity: EntityName, _ fields: () -> [UInt8]) -> String? { nil }

  /// The destination does not say.
  package func remoteSchema() async throws(DestinationError) -> RemoteSchemaAnswer { .undescribed }

  /// There is nothing to look at beside what every destination has.
  package func preflight() async -> [DestinationCheck] { [] }

  /// Nothing says what the collections have.
  package func schemaChecks() async -> [DestinationCheck] { [] }

  /// A file needs no route of its own.
  package func fileChecks() async -> [DestinationCheck] { [] }

  /// No caller waits.
  package func giveUpWaiting() {}

  /// None: it serves one account.
  package func accountFault() async -> DestinationError? { nil }
}

/// What a destination says of its own collections.
package enum RemoteSchemaAnswer: Hashable, Sendable {
  case described(RemoteSchema)
  /// It says that only to the credential of this name, which is not given.
  case withoutCredential(String)
  /// It was asked, and gave nothing that can be read; the reason is a clause.
  case withheld(reason: String)
  /// It does not say, as far as the profile knows.
  case undescribed
}

/// An operation that a destination noted as carried out, in the same step.
package struct NotedOperation: Hashable, Sendable {
  /// The revision that the record got by it; `nil` where that is not known any more.
  package let revision: String?

  package init(revision: String?) { self.revision = revision }
}

/// A media file as it may be at a destination.
package struct MediaReference: Hashable, Sendable {
  /// The category and the content: `media:avatar` and the SHA-256 of the file.
  package let record: RecordID
  /// The file's identity at the destination, once known.
  package let serverID: String?
  /// The key of the operation that sends it, where that is what is asked about.
  package let operation: String?
  /// Which files are compared by what they hold, and not only looked for.
  package let comparing: Comparing
  /// Where what it should hold can be read on this machine; `nil` where only its digest is known.
  package let source: FileSource?

  /// Which files are compared.
  package enum Comparing: Hashable, Sendable {
    case none, all
    /// Those that the operation did not send.
    case replaced
  }

  package init(
    record: RecordID,
    serverID: String?,
    operation: String? = nil,
    comparing: Comparing = .none,
    source: FileSource? = nil
  ) {
    self.record = record
    self.serverID = serverID
    self.operation = operation
    self.comparing = comparing
    self.source = source
  }
}

/// What a destination has of a media file.
package enum MediaState: Hashable, Sendable {
  case unknowable
  case absent
  /// Another file lies there: it says so of itself, or holds something else where that was compared.
  case other
  /// `version` is what a record refers to the file by; the size is in bytes. It `isReplaced` where the
  /// operation that was asked about did not send it.
  case present(serverID: String, version: String?, size: Int64?, isReplaced: Bool = false)
}

/// What a destination can do, as its profile says.
package final class DestinationTraits: Sendable {
  /// How a request whose answer was lost is made safe to repeat.
  package enum Replay: Sendable, Hashable {
    /// The destination remembers idempotency keys for `life`. Where it can be read as well, a record is
    /// looked up after `settle` whose key no longer helps.
    case key(life: Duration, settle: Duration?)
    /// The client chose the identity: a repeat finds the record there.
    case id
    /// The destination is read, once `settle` has passed, to learn whether it arrived.
    case lookUp(settle: Duration)
  }

  /// Its address, without credentials: `https://api.example.com/v1`.
  package let origin: String
  package let replay: [EntityName: Replay]
  /// The most items of one request, by entity; one where the entity has no batch route.
  package let batchLimit: [EntityName: Int]
  package let concurrency: Int
  package let listsChangesSince: [EntityName: Bool]
  package let takesMedia: Bool
  /// Whether changes, removals and readings go many at once, as new records do.
  package let batchesChanges: Bool
  /// What goes many at once beside new records, by entity, where ``batchesChanges`` does not say that of all.
  private let together: [EntityName: Set<OutgoingBatch.Verb>]
  /// The entities of which several records are read by one request, where ``batchesChanges`` does not say
  /// that of all.
  private let readTogether: Set<EntityName>
  /// The entities whose batches the destination may refuse, so that each record goes by itself.
  package let mayRefuseBatches: Set<EntityName>
  /// Whether a media file is a part of the one record that names it.
  package let keepsFilesInRecords: Bool
  /// How many requests it takes to send a media file, where nothing goes wrong.
  package let requestsOfFile: Int
  /// Whether a file that is sent anew gets the address that it had, so that anyone who names it names the
  /// same; else no one can say what lies at an address that no run of this store gave.
  package let keepsAddresses: Bool
  /// What cannot be done with an entity's records, for want of a route.
  private let missing: [EntityName: Set<OutgoingBatch.Verb>]
  /// The entities whose records the destination may keep under identities of its own, although
  /// requests choose them: only an answer shows that it does not.
  package let mayBeDisplaced: Set<EntityName>
  /// Whether a media file can be removed again.
  package let removesFiles: Bool
  /// Whether the destination notes each operation in the same step in which it carries it out, so that what
  /// became of one without an answer is known; see ``Destination/noted(_:of:)``.
  package let notesOperations: Bool

  package init(
    origin: String,
    replay: [EntityName: Replay],
    batchLimit: [EntityName: Int],
    concurrency: Int,
    listsChangesSince: [EntityName: Bool],
    takesMedia: Bool,
    batchesChanges: Bool = false,
    together: [EntityName: Set<OutgoingBatch.Verb>] = [:],
    readTogether: Set<EntityName> = [],
    mayRefuseBatches: Set<EntityName> = [],
    keepsFilesInRecords: Bool = false,
    requestsOfFile: Int = 1,
    keepsAddresses: Bool = true,
    missing: [EntityName: Set<OutgoingBatch.Verb>] = [:],
    mayBeDisplaced: Set<EntityName> = [],
    removesFiles: Bool = true,
    notesOperations: Bool = false
  ) {
    self.notesOperations = notesOperations
    self.mayBeDisplaced = mayBeDisplaced
    self.missing = missing
    self.removesFiles = removesFiles
    self.keepsFilesInRecords = keepsFilesInRecords
    self.requestsOfFile = requestsOfFile
    self.keepsAddresses = keepsAddresses
    self.batchesChanges = batchesChanges
    self.together = together
    self.readTogether = readTogether
    self.mayRefuseBatches = mayRefuseBatches
    self.origin = origin
    self.replay = replay
    self.batchLimit = batchLimit
    self.concurrency = concurrency
    self.listsChangesSince = listsChangesSince
    self.takesMedia = takesMedia
  }

  /// Whether an entity's records can be changed, or removed.
  package func carriesOut(_ verb: OutgoingBatch.Verb, on entity: EntityName) -> Bool {
    missing[entity]?.contains(verb) != true
  }

  /// Whether many records of an entity go in one request for this.
  package func sendsTogether(_ verb: OutgoingBatch.Verb, of entity: EntityName) -> Bool {
    guard batchLimit[entity, default: 1] > 1 else { return false }
    return verb == .create || batchesChanges || together[entity]?.contains(verb) == true
  }

  /// Whether several records of an entity are read by one request.
  package func readsTogether(_ entity: EntityName) -> Bool {
    batchesChanges || readTogether.contains(entity)
  }
}

/// What one request is to do.
package struct OutgoingBatch: Sendable {
  /// The verb at the destination, after the engine's action has been worked out.
  package enum Verb: Hashable, Sendable {
    case create, update, delete, uploadMedia, removeMedia
  }

  /// One record, which all who handle a request share.
  package final class Item: Sendable {
    /// The operation's number, by which the outcome is matched.
    package let operation: Int64
    package let record: RecordID
    /// The identity the client chooses, for a destination that takes one.
    package let clientID: String
    /// The server's identity, for everything but a create.
    package let serverID: String?
    /// The version the record must still have, where the destination can check it.
    package let version: String?
    /// The idempotency key.
    package let key: String
    /// The request's fields, a JSON object in canonical form; empty for a delete.
    package let body: [UInt8]
    /// The file to send, for `uploadMedia`.
    package let media: OutgoingMedia?
    /// The files that are parts of the record, for a destination that keeps them so: sent before,
    /// and at hand here for when the destination has forgotten them.
    package let parts: [OutgoingMedia]
    /// When the run began that sent what is removed, in whole seconds since 1970; `nil` if it is unknown.
    package let since: Int64?
    /// What distinguishes the operation from every other, also from those of a checkpoint that is lost, for a
    /// destination that notes it.
    package let note: String?

    package init(
      operation: Int64,
      record: RecordID,
      clientID: String,
      serverID: String? = nil,
      version: String? = nil,
      key: String,
      body: [UInt8],
      media: OutgoingMedia? = nil,
      parts: [OutgoingMedia] = [],
      since: Int64? = nil,
      note: String? = nil
    ) {
      self.note = note
      self.operation = operation
      self.record = record
      self.clientID = clientID
      self.serverID = serverID
      self.version = version
      self.key = key
      self.body = body
      self.media = media
      self.parts = parts
      self.since = since
    }
  }

  package let entity: EntityName
  package let verb: Verb
  package let items: [Item]

  package init(entity: EntityName, verb: Verb, items: [Item]) {
    self.entity = entity
    self.verb = verb
    self.items = items
  }
}

/// A media file on its way.
package struct OutgoingMedia: Hashable, Sendable {
  /// Where its bytes are read from on this machine.
  package let source: FileSource
  package let size: Int64
  package let digest: Digest
  /// The kind the profile gave it: `avatar`.
  package let category: String
  /// The file's name as the app knew it.
  package let name: String
  /// An Internet media type: `image/png`.
  package let mediaType: String
  /// Where it belongs, at a destination that keeps files in records, and for a part of a request.
  package var place: Place?
  /// What it holds, if a record has that itself; `nil` for a file that is read from ``source``.
  package var held: [UInt8]?

  /// A field of a record.
  package struct Place: Hashable, Sendable {
    package let entity: EntityName
    /// The record's identity at the destination.
    package let record: String
    package let field: String

    package init(entity: EntityName, record: String, field: String) {
      self.entity = entity
      self.record = record
      self.field = field
    }
  }

  package init(
    source: FileSource,
    size: Int64,
    digest: Digest,
    category: String,
    name: String,
    mediaType: String
  ) {
    self.source = source
    self.size = size
    self.digest = digest
    self.category = category
    self.name = name
    self.mediaType = mediaType
  }
}

/// One page of records.
package struct RemotePage: Sendable {
  package let records: [RemoteRecord]
  /// How many rows the destination gave, which may have their records inside of them, or none.
  package let rowCount: Int
  /// The identities of records that the destination says are gone.
  package let removed: [String]
  /// Where the next page begins, or `nil` after the last.
  package let next: String?
  /// The mark to read changes from later: the destination's own, or the greatest version of the first
  /// page; meaningful on the last page.
  package let mark: String?
  /// Whether each page has a mark of its own: then that of the first page counts, for what changed on an
  /// earlier page while a later one was read is behind the mark of the later one.
  package let hasMarkOfItsOwn: Bool
  /// Whether the mark to read changes from was no longer good, so that everything is read.
  package let isFromTheStart: Bool

  package init(
    records: [RemoteRecord],
    rowCount: Int? = nil,
    removed: [String] = [],
    next: String?,
    mark: String? = nil,
    hasMarkOfItsOwn: Bool = false,
    isFromTheStart: Bool = false
  ) {
    self.rowCount = rowCount ?? records.count
    self.hasMarkOfItsOwn = hasMarkOfItsOwn
    self.isFromTheStart = isFromTheStart
    self.records = records
    self.removed = removed
    self.next = next
    self.mark = mark
  }
}
