import PropertyLists
import Records

/// What has to be done to an attribute's stored bytes before they are lent.
package struct AttributeDecoding {
  /// How a large value that lies in a file of its own is marked.
  enum External {
    case never
    /// The model allows it: `01` and the bytes, or `02`, a UUID and `00`.
    case marked
    /// There is no model: only the exact form of a reference counts.
    case guessed
  }

  let external: External
  let isArchive: Bool

  /// Nothing has to be done: the stored value is the value.
  var isNothing: Bool { external == .never && !isArchive }

  init(_ leaf: EntityLayout.Leaf) {
    switch leaf.kind {
    case .transformable(let transformer, _):
      isArchive = Self.makesArchives(transformer)
      external = leaf.mayBeExternal ? .marked : .never
    case .undeclared(let type):
      isArchive = false
      external = type == "BLOB" ? .guessed : .never
    default:
      isArchive = false
      external = leaf.mayBeExternal ? .marked : .never
    }
  }

  /// Whether values without a transformer of the app's own are keyed archives.
  private static func makesArchives(_ transformer: String?) -> Bool {
    switch transformer {
    case nil, "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData",
      "NSSecureUnarchiveFromDataTransformer", "NSUnarchiveFromData":
      true
    case .some:
      false
    }
  }

  /// The archive in `bytes`, binary or XML, as JSON; `nil` when they are not that can be read, or
  /// one whose JSON would not show everything.
  package static func json(_ bytes: [UInt8]) -> [UInt8]? {
    let form = PropertyListForm(bytes)
    guard form == .binary || form == .xml else { return nil }
    do throws(PropertyListError) {
      let document = try PropertyListDocument(bytes: bytes)
      guard document.notes.isEmpty else { return nil }
      return try KeyedArchive(document.list).json()
    } catch {
      // The caller lends the bytes as they are, so nothing is lost.
      return nil
    }
  }
}
