import JSONText
package import Records
import UploadPlanning

/// What a plan saw of a record whose version no row of the destination's list has, and what a change of it
/// expects to find there.
///
/// It is in the place of a version, and is never sent.
package struct ContentMark: Hashable, Sendable {
  /// The members that the plan saw.
  package let names: [String]
  /// What distinguishes their values from any others.
  package let digest: Digest
  /// Whether all other members may hold anything, as the store's own is to win.
  package let isAlone: Bool

  private static let start = "content:"

  /// Whether a text is a mark, and no version of the destination's.
  static func isOne(_ text: String) -> Bool { text.hasPrefix(start) }

  /// The mark as a checkpoint keeps it.
  package var text: String {
    let object: JSONObject = [
      "alone": .boolean(isAlone), "digest": .string(digest.description),
      "names": .array(names.map { .string($0) }),
    ]
    return Self.start + JSONValue.object(object).canonicalText
  }
}

extension ContentMark {
  /// Reads a mark; `nil` where the text is not one, or cannot be read.
  package init?(_ text: String) {
    guard Self.isOne(text) else { return nil }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: String(text.dropFirst(Self.start.count)))
    } catch {
      return nil
    }
    guard let digest = value["digest"]?.text.flatMap({ Digest(hexadecimal: $0) }),
      let names = value["names"]?.array, let isAlone = value["alone"]?.boolean
    else { return nil }
    self.init(names: names.compactMap(\.text), digest: digest, isAlone: isAlone)
  }
}

extension Operation {
  /// The destination's own version that the record is to have; `nil` where its content is to state.
  package var remoteVersion: String? {
    guard let version, !ContentMark.isOne(version) else { return nil }
    return version
  }

  /// What shows that the expected state is there, once the record was read with `found`, its version:
  /// that, or what the plan saw, as long as no reading shows more.
  ///
  /// What takes something back was planned on what its own run left, and not on what is there.
  package func expecting(_ found: String?) -> String? { found ?? (action.isUndo ? nil : version) }
}
