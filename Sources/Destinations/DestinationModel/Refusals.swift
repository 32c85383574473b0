package import Files
import Records
import Records
package import UploadPlanning

extension BatchAnswer {
  /// What all requests come to of which none is sent, or of which none is taken.
  package static func refused(_ reason: String) -> BatchAnswer {
    BatchAnswer(whole: .refused(reason: reason))
  }
}

extension ItemOutcome {
  /// The file is not the one that was planned.
  package static var changedFile: ItemOutcome {
    .rejected(code: "media.changed", reason: "the file changed since the package was made")
  }

  /// The file cannot be read; where that is the system's fault, it may be read later.
  package init(unreadable error: FileError) {
    self =
      error.isForWantOfMeans
      ? .deferred(reason: "\(error)") : .rejected(code: "media.unreadable", reason: "\(error)")
  }
}

extension OutgoingMedia {
  /// What comes of the file where it cannot be sent; `nil` when it is the one that was planned.
  package var refusal: ItemOutcome? {
    guard held == nil else { return nil }
    do throws(FileError) {
      let (found, length) = try source.sha256(followsLinks: false)
      return length == size && found == digest.bytes ? nil : .changedFile
    } catch {
      return ItemOutcome(unreadable: error)
    }
  }
}
