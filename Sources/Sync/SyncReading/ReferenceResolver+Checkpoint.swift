package import Checkpoint
package import Records
package import RequestMapping
package import UploadPlanning

extension CheckpointFile {
  /// What is known of records that others name, each of which is looked for once.
  package func answers(
    about named: [RecordID]
  ) throws(CheckpointError) -> [RecordID: SyncState?] {
    let asked = Array(Set(named))
    return Dictionary(uniqueKeysWithValues: zip(asked, try known(asked)))
  }
}

extension ReferenceResolver {
  /// Answers from what the checkpoint knows, which it is asked once for each record.
  ///
  /// For one batch, or one record: what comes to be known later is not seen. `answers` is what it has
  /// answered before, `nil` about a record that is not known. While a plan is carried out
  /// (`isExecuting`), what it changes is where it was found, though its own change may come later.
  package init(
    checkpoint: CheckpointFile,
    answers: [RecordID: SyncState?] = [:],
    isExecuting: Bool = false
  ) {
    var answers = answers
    func known(_ record: RecordID) throws(MappingFault) -> SyncState? {
      if let answer = answers[record] { return answer }
      do throws(CheckpointError) {
        let answer = try checkpoint.known(record)
        answers[record] = .some(answer)
        return answer
      } catch {
        throw .unanswered(reason: error.description)
      }
    }
    self.init(
      reference: { entity, key throws(MappingFault) in
        let record = RecordID(entity: entity, key: key)
        if let serverID = try known(record)?.serverID { return serverID }
        guard isExecuting else { return nil }
        do throws(CheckpointError) { return try checkpoint.plannedPlace(of: record) } catch {
          throw .unanswered(reason: error.description)
        }
      },
      media: { category, key throws(MappingFault) in
        try known(RecordID(entity: .media(category), key: key))?.version
      }
    )
  }
}
