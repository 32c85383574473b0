package import Profiles
package import UploadPlanning

extension EntityProfile {
  /// Where the records go without being sent, or `nil` when they are sent.
  package func bucketWithoutSending(_ api: Api?) -> Bucket? {
    guard role == .own else { return .skipped }
    return api?.entity(name) == nil ? .unplaced : nil
  }
}
