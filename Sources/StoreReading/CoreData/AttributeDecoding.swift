import PropertyLists
import Records

/// What has to be done to an attribute's stored bytes before they are lent.
struct AttributeDecoding {
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

  /// The archive in `bytes` as JSON, or `nil` when they are none that can be read.
  static func json(_ bytes: [UInt8]) -> [UInt8]? {
    guard PropertyListForm(bytes) == .binary else { return nil }
    do throws(PropertyListError) {
      return try KeyedArchive(bytes: bytes).json()
    } catch {
      // The caller lends the bytes as they are, so nothing is lost.
      return nil
    }
  }
}
