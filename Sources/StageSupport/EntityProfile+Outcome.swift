package import Profiles
package import UploadPlanning

extension EntityProfile {
  /// Where the records go without being sent, or `nil` when they are sent.
  package func outcomeWithoutSending(_ api: Api?) -> RecordOutcome? {
    guard role == .own else { return .skipped }
    return api?.entity(name) == nil ? .unmapped : nil
  }
}
