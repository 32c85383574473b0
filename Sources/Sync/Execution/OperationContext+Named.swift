import Checkpoint
import Records
import RequestMapping
import SyncReading
import UploadPlanning

// Where the records are that others name.

extension OperationContext {
  /// What answers for the records of one request, with all that they name looked up at once.
  func resolver(for records: [Result<MappedRecord, MappingError>?]) async -> ReferenceResolver {
    // A record that cannot be read names nothing; why it cannot is reported when its turn comes.
    let named = records.flatMap { (try? $0?.get())?.named ?? [] }
    guard !named.isEmpty else { return reader.resolver }
    let known = await withTaskExecutorPreference(disk) { () -> [RecordID: SyncState?]? in
      do throws(CheckpointError) { return try checkpoint.answers(about: named) } catch {
        // Each record asks for itself, and says why there is no answer.
        return nil
      }
    }
    return reader.namingDeleted(
      ReferenceResolver(checkpoint: checkpoint, answers: known ?? [:], isExecuting: true)
    )
  }
}
