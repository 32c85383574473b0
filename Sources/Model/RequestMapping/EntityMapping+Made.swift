import JSONText
import Profiles
import RequestBodies
package import UploadPlanning

extension EntityMapping {
  /// An image in plain text as what `known` says of its record: where that was made and not completed,
  /// without what was to complete it.
  ///
  /// What no one was ever given says so by the value that is not sent, or else by none.
  package func image(_ image: RecordImage, of known: SyncState) -> RecordImage {
    guard image.requestDigest != known.requestDigest, var base = object(image.base) else {
      return image
    }
    for rule in program.api.body where rule.stage == .complete {
      base[rule.name] = rule.unless ?? .null
    }
    return RecordImage(
      record: image.record,
      content: image.content,
      requestDigest: image.requestDigest,
      base: JSONValue.object(base).canonicalBytes,
      sent: image.sent
    )
  }
}
