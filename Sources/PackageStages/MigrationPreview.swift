import Files
import JSONText
package import Profiles
import RecordMapping
package import Records
import SQLiteStores
import StageSupport
package import StoreFiles
package import StoreReading
package import UploadPlanning

/// What a migration of a store would carry, before a package is made: for a person who has to agree.
///
/// No value of a record is in it.
package struct MigrationPreview: Sendable {
  /// One entity.
  package struct Line: Hashable, Sendable {
    package let entity: EntityName
    package let rowCount: Int
    /// Where its records go without being sent, or `nil` when they are sent.
    package let bucket: RecordOutcome?
  }

  package let identity: StoreIdentity
  /// In the order in which they are sent.
  package let lines: [Line]
  /// The store's own files, and those in which it keeps large values.
  package let storeBytes: Int64
  /// The media files that rows name and that are there; one named twice counts twice.
  package let mediaCount: Int
  package let mediaBytes: Int64
  /// The media files that rows name and that are not there.
  package let missingMediaCount: Int
  /// How many bytes of free space an export is likely to need, media files not counted.
  package let spaceNeeded: Int64

  /// Reads the store through a private copy, which is gone afterwards.
  package init(
    of store: String,
    profile: Profile,
    container: String? = nil,
    options: Source.Options = Source.Options()
  ) throws {
    let choices = profile.stores.map { StoreChoice(name: $0.name, pattern: $0.pattern) }
    let opened = try OpenedSource(store, options: options.choosing(choices))
    let source = opened.source
    let export = try CompiledExport(profile: profile, model: source.store.model)
    var lines: [Line] = []
    let finder = try MediaFinder(of: source, container: container, profile: profile)
    var media = MediaCount(finder: finder)
    for program in export.programs {
      let count = try source.store.rowCount(of: program.request.entity)
      lines.append(
        Line(
          entity: program.entity,
          rowCount: count,
          bucket: program.profile.outcomeWithoutSending(profile.api)
        )
      )
      if !program.profile.media.isEmpty { try media.add(program, of: source.store) }
    }
    let folders = try source.externalFolders()
    identity = source.store.identity
    self.lines = lines
    storeBytes =
      source.files.reduce(0) { $0 + $1.byteCount } + folders.reduce(0) { $0 + $1.byteCount }
    mediaCount = media.count
    mediaBytes = media.bytes
    missingMediaCount = media.missingCount
    spaceNeeded = source.spaceNeeded
    withExtendedLifetime(opened) {}
  }
}

/// The media files that rows name, counted by reading the rows as an export does.
private struct MediaCount {
  let finder: MediaFinder
  var count = 0
  var bytes: Int64 = 0
  var missingCount = 0

  init(finder: MediaFinder) { self.finder = finder }

  mutating func add(_ program: RecordProgram, of store: any Store) throws {
    let found = FoundMedia()
    let finder = finder
    let records = RecordWriter(program) { rule, name throws(RecordFault) in
      found.value(of: String(decoding: name, as: UTF8.self), by: rule, finder)
    } content: { _, value throws(RecordFault) in
      found.count += 1
      found.bytes += Int64(value.count)
      return MediaValue(state: .present, name: "", size: Int64(value.count))
    }
    let cursor = try store.rows(program.request)
    var line = JSONWriter()
    while try cursor.next() {
      line.reset()
      do throws(RecordFault) {
        try records.write(cursor.row, into: &line)
      } catch {
        // The export keeps that row with its reason; here it only has no files to count.
        continue
      }
    }
    count += found.count
    bytes += found.bytes
    missingCount += found.missingCount
  }
}

/// What is counted while rows are read.
private final class FoundMedia {
  var count = 0
  var bytes: Int64 = 0
  var missingCount = 0

  func value(of name: String, by rule: MediaRule, _ finder: MediaFinder) -> MediaValue {
    let found: MediaFinder.Found
    do throws(FileError) {
      found = try finder.find(name, by: rule)
    } catch {
      // The export will say that it may not be looked for.
      return MediaValue(state: .missing, name: name)
    }
    switch found {
    case .nothing(let value):
      if value.state == .missing { missingCount += 1 }
      return value
    case .file(let path):
      let size = Self.size(of: path)
      count += 1
      bytes += size
      return MediaValue(state: .present, name: name, size: size)
    }
  }

  /// The size of a file; none where it cannot be opened, which the export will report.
  private static func size(of path: String) -> Int64 {
    do throws(FileError) { return try InputFile(path).size() } catch { return 0 }
  }
}
