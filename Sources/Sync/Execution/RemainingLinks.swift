import Checkpoint
import DestinationModel
import Records
import RequestMapping
import SyncReading
import TextCodecs
import UploadPlanning

/// Which files are still named by records when a rollback comes to remove them.
///
/// A rollback removes its own records first. Whatever then still names a file was kept, or was made by
/// another device, and must not lose it.
actor RemainingLinks {
  /// Of the files that the rollback is to remove, by hashes of their keys and addresses, those that
  /// are named.
  private var reading: [EntityName: Task<Result<Set<Int>, any Error>, Never>] = [:]

  /// Whether records that are there name the file that `removal` is to remove: by its address, by the key
  /// under which it lies, or by an address that ends with that key.
  ///
  /// The destination is read once for each category, when its first file is asked about. Of what it has,
  /// nothing is kept but what names a file of the rollback.
  func name(
    fileOf removal: Operation,
    reader: SyncReader
  ) async throws -> Bool {
    let category = removal.record.entity
    let task =
      reading[category] ?? Task { await Self.named(category, ofRunOf: removal.number, reader) }
    reading[category] = task
    let named = try await task.value.get()
    return [removal.serverID, removal.version].contains {
      $0.map { named.contains($0.hash) } ?? false
    }
  }

  private static func named(
    _ category: EntityName,
    ofRunOf number: Int64,
    _ reader: SyncReader
  ) async -> Result<Set<Int>, any Error> {
    var wanted: Set<Int> = []
    var named: Set<Int> = []
    do {
      try reader.checkpoint.forEachPlace(of: category, inRunOf: number) { serverID, version in
        if let serverID { wanted.insert(serverID.hash) }
        if let version { wanted.insert(version.hash) }
      }
      for (child, member) in reader.mappings.links(to: category) {
        try await reader.forEachPage(of: child) { page in
          for record in page.records {
            for address in reader.mappings[child].identities(in: member, ofRemote: record.body) {
              for way in ways(toFileAt: address) where wanted.contains(way) { named.insert(way) }
            }
          }
        }
      }
      return .success(named)
    } catch {
      return .failure(error)
    }
  }

  /// The hashes of an address, and of all that may be the key of the file at it: what a server signs it with
  /// comes and goes.
  private static func ways(toFileAt address: String) -> [Int] {
    var ways = [address.hash]
    var rest: Substring? = address.prefix { $0 != "?" && $0 != "#" }
    while let way = rest {
      ways.append(way.hash)
      // An address of the web has a key escaped.
      if way.contains("%") { ways.append(PercentCoding.decoded(way).hash) }
      rest = way.firstIndex(of: "/").map { way[way.index(after: $0)...] }
    }
    return ways
  }
}

extension StringProtocol {
  /// The same for a text and a part of another that reads the same.
  fileprivate var hash: Int {
    var hasher = Hasher()
    hash(into: &hasher)
    return hasher.finalize()
  }
}
