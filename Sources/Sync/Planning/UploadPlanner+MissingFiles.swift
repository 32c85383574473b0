import Checkpoint
import DestinationModel
import Files
import Profiles
import Records
import StageSupport
import Synchronization
import SyncReading
import ScratchFiles

/// The files that runs sent and that the destination says are gone: a person who asks that what was
/// deleted there be made again has them sent again.
///
/// A file whose presence the destination cannot know is sent once per digest and account.
final class LostFiles: Sendable {
  private struct Absent {
    let folder: PrivateFolder
    let keys: ScratchKeys
  }

  private let absent = Mutex<Absent?>(nil)

  /// Whether the destination says that a file is gone.
  func contains(_ file: RecordID) throws -> Bool {
    guard let keys = absent.withLock({ $0?.keys }) else { return false }
    return try keys.contains(file.key, of: file.entity)
  }

  fileprivate func add(
    _ files: [String],
    of category: EntityName
  ) throws {
    guard !files.isEmpty else { return }
    let keys: ScratchKeys
    if let known = absent.withLock({ $0?.keys }) {
      keys = known
    } else {
      let folder = try PrivateFolder()
      keys = try ScratchKeys(path: folder.path + "/keys.sqlite")
      absent.withLock { [keys] in $0 = Absent(folder: folder, keys: keys) }
    }
    _ = try keys.add(files, of: category)
  }
}

extension UploadPlanner {
  /// Asks for the files that runs sent, where a person has all of the destination read and what is
  /// gone made again.
  func findAbsentFiles(_ interruption: CancellationToken) async throws {
    let traits = reader.traits
    guard recreatesDeleted, options.refreshes, !options.isOffline, traits.takesMedia,
      !traits.keepsFilesInRecords
    else { return }
    for category in profile.mediaCategories.map({ EntityName.media($0) }) {
      try await reader.forEachSentFile(of: category, interruption) { files in
        var absent: [String] = []
        for (file, state) in files {
          switch state {
          case .success(.absent): absent.append(file.record.key)
          case .success(.present), .success(.other): break
          case .success(.unknowable): return false
          // Who may not ask whether a file is there is not reported that it is gone either.
          case .failure(DestinationError.forbidden): break
          case .failure(let error): throw error
          }
        }
        try lostFiles.add(absent, of: category)
        return true
      }
    }
  }
}
