import Checkpoint
import ExportPackage
import PackageStages
import Profiles
import Records
import StageSupport
import StoreReading
import TextCodecs
import UploadPlanning

extension UploadSession {
  /// Refuses a package of another store than the checkpoint is of, where only the records can tell.
  ///
  /// A Core Data store has a UUID, by which its checkpoint is found. Other databases have none, and are
  /// known by their schema; preferences are known by the name of their file. Two of one shape so have one
  /// checkpoint: the second would be sent over the first, and what only the first has would be deleted.
  ///
  /// - Throws: `MigrationError.otherStore`
  func checkStore(of package: PackageReader) throws(MigrationError) {
    guard !options.acceptsChangedStore, !package.manifest.source.hasOwnIdentity else { return }
    let recorded = try checkpointing { () throws(CheckpointError) in try checkpoint.storePlace() }
    var likeness = StoreLikeness(
      isMoved: recorded.flatMap { recorded in options.storePlace.map { $0 != recorded } },
      deletesAbsent: options.plan.deletesAbsent
    )
    let entities = profile.entities.filter {
      $0.bucketWithoutSending(profile.api) == nil && $0.queue == nil && $0.waitsIn == nil
        && package.manifest.entity($0.name) != nil
    }
    for entity in entities {
      likeness.knownCount += try checkpointing { () throws(CheckpointError) in
        try checkpoint.recordCount(of: entity.name)
      }
      likeness.hereCount += package.manifest.recordCount(of: entity.name)
    }
    guard likeness.knownCount > 0, likeness.hereCount > 0 else { return }
    guard likeness.isOfAnother else { return }
    let wires = try desk(findings: FindingCollector()).wires
    let isComparable = try wasSentWithThisProfile()
    for entity in entities where likeness.isOfAnother {
      try compare(entity.name, in: package, wires, isComparable: isComparable, &likeness)
    }
    guard likeness.isOfAnother else { return }
    let before: String? = if let recorded { recorded } else { try lastPackagePath() }
    // A dry run has a copy.
    let path = state.checkpoints.file(for: checkpoint.binding)
    throw .otherStore(
      recorded: before ?? path,
      now: options.storePlace ?? package.path,
      checkpoint: path
    )
  }

  /// Writes down where the store lies, for the next run.
  func keepStorePlace() throws(MigrationError) {
    guard let place = options.storePlace else { return }
    try checkpointing { () throws(CheckpointError) in try checkpoint.setStorePlace(place) }
  }

  /// Holds the records of an entity against what is known of them, until they tell enough.
  private func compare(
    _ entity: EntityName,
    in package: PackageReader,
    _ wires: WireForms,
    isComparable: Bool,
    _ likeness: inout StoreLikeness
  ) throws(MigrationError) {
    guard let wire = wires.wire(for: entity) else { return }
    var lines = try PackagedLines(of: entity, in: package, wires)
    while likeness.isOfAnother, let part = try lines.nextPart() {
      var contents: [RecordID: Digest] = [:]
      for line in part.lines {
        guard let key = self.key(of: line.bytes, wire) else { continue }
        contents[RecordID(entity: entity, key: key)] = OperationKey.digest(of: line.bytes)
      }
      let ids = Array(contents.keys)
      let known = try checkpointing { () throws(CheckpointError) in try checkpoint.known(ids) }
      for (id, content) in contents {
        guard let found = known[id], let record = found, record.serverID != nil else { continue }
        let isSame = !isComparable || record.content == content || StoreLikeness.isTelling(id.key)
        likeness.add(isSame: isSame)
      }
    }
  }

  /// The key of a record; `nil` where it cannot be read, which its own turn tells.
  private func key(of line: [UInt8], _ wire: EntityWire) -> String? {
    do throws(WireRefusal) {
      return try wire.record(line).key
    } catch {
      return nil
    }
  }

  /// Whether what is known of records was written with this profile: another writes the same row in another
  /// way, so that nothing but its key tells it.
  private func wasSentWithThisProfile() throws(MigrationError) -> Bool {
    let runs = try checkpointing { () throws(CheckpointError) in try checkpoint.runs() }
    let uploads = runs.filter { $0.kind == .upload }
    guard let last = uploads.last(where: { $0.stage == .finished }) ?? uploads.last else {
      return false
    }
    return try isOfThisProfile(last)
  }

  /// Where the package of the last upload lay.
  private func lastPackagePath() throws(MigrationError) -> String? {
    let runs = try checkpointing { () throws(CheckpointError) in try checkpoint.runs() }
    return runs.last(where: { $0.kind == .upload })?.packagePath
  }
}

/// How the records of a package compare with those that a checkpoint knows, in numbers.
///
/// | the store | is another one where |
/// |---|---|
/// | lies elsewhere than before | less than a tenth of its records are known as they are, or less than three of more than a few; with `--delete`, also where less than half of them are known at all; of one or two, none is known at all |
/// | lies where it did | of ten or more none is known at all |
/// | lies nobody knows where | of ten or more none is known at all; with `--delete`, also of fewer |
///
/// One or two records that are the same may be those that every new store has; they tell where they are a
/// third of all. What is known by nothing but a package may be edited from end to end: its keys alone tell.
///
/// “Of its records” is of those here or of those known, whichever are fewer: what a person deleted or
/// added says nothing. A record counts as known as it is, too, where its key is one that no other store has.
struct StoreLikeness {
  /// Whether the store lies elsewhere than it was sent from; `nil` where nobody knows.
  let isMoved: Bool?
  /// Whether what is absent is to be deleted.
  let deletesAbsent: Bool
  /// How many records are at the destination by earlier runs, and how many are in the package.
  var knownCount = 0
  var hereCount = 0
  /// How many are both, and of how many of them the store says what it said before.
  private var metCount = 0
  private var sameCount = 0

  /// How many records tell something although they may all have been changed.
  private static let plentiful = 10
  /// How many records of a store no new store of its shape has.
  private static let several = 3

  init(isMoved: Bool?, deletesAbsent: Bool) {
    self.isMoved = isMoved
    self.deletesAbsent = deletesAbsent
  }

  /// Whether all that was met so far may be of another store; once it is not, no record makes it so again.
  var isOfAnother: Bool {
    let least = min(knownCount, hereCount)
    let isPlentiful = least >= Self.plentiful
    return switch isMoved {
    case true? where least < Self.several: metCount == 0
    case true?:
      sameCount * 10 < least || (sameCount < Self.several && sameCount * 3 < least)
        || (deletesAbsent && metCount * 2 < least)
    case false?: metCount == 0 && isPlentiful
    case nil: metCount == 0 && (isPlentiful || deletesAbsent)
    }
  }

  /// Counts a record that is here and known.
  mutating func add(isSame: Bool) {
    metCount += 1
    if isSame { sameCount += 1 }
  }

  /// Whether a key is one that two stores never both give by chance, as a number, a name or a day is: a UUID,
  /// or letters and digits without order.
  static func isTelling(_ key: String) -> Bool {
    let name = String(key.split(separator: "/").last ?? "")
    if UUIDText.isUUID(name.utf8) { return true }
    return name.utf8.count >= 20 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      && name.contains { $0.isLetter } && name.contains { $0.isNumber }
  }
}

extension PackageManifest.Source {
  /// Whether the store's name is its alone, so that nothing else can be taken for it.
  ///
  /// What was imported or upgraded from files is known by their digest.
  fileprivate var hasOwnIdentity: Bool {
    switch kind {
    case StoreIdentity.Kind.sqlite.packageName, StoreIdentity.Kind.preferences.packageName,
      StoreIdentity.Kind.realm.packageName:
      false
    case StoreIdentity.Kind.container.packageName: UUIDText.isUUID(store.utf8)
    default: true
    }
  }
}
