/// Which record: its entity, and the key that distinguishes it from all others of that entity.
///
/// The key is what the profile says it is: an attribute of the record (`id`), or, where the app
/// gave it none, the object's own address in the store (`x-coredata://…/Hero/p1`).
package struct RecordID: Comparable, Sendable, CustomStringConvertible {
  package let entity: EntityName
  package let key: String

  package init(entity: EntityName, key: String) {
    self.entity = entity
    self.key = key
  }

  package var description: String { "\(entity)/\(key)" }

  package static func < (left: RecordID, right: RecordID) -> Bool {
    left.entity == right.entity
      ? left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
      : left.entity < right.entity
  }
}

extension RecordID: Hashable {
  /// Keys are distinguished by their code points, as stores and destinations state them: “é” as one
  /// and “é” as two are two keys, though Swift takes the texts for equal.
  package static func == (left: RecordID, right: RecordID) -> Bool {
    var (one, other) = (left.key, right.key)
    guard left.entity == right.entity, one.utf8.count == other.utf8.count else { return false }
    return one.withUTF8 { one in other.withUTF8 { other in unsafe one.elementsEqual(other) } }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(entity)
    var text = key
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
