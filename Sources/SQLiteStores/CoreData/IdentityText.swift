import CSQLite
import JSONText
package import Records
package import StoreFiles

/// Writes the texts by which records are referred to, without making strings.
@safe
package struct IdentityText {
  private let arena: Arena
  private let prefixes: AddressPrefixes

  package init(arena: Arena, prefixes: AddressPrefixes) {
    self.arena = arena
    self.prefixes = prefixes
  }

  /// The address of the object with this key; `fallback` counts when `number` is no entity's.
  func address(key: Int64, number: Int, fallback: Int) -> Cell {
    let prefix = prefixes.bytes(number) ?? prefixes.bytes(fallback) ?? []
    let target = unsafe arena.allocate(prefix.count + JSONDigits.integerCapacity)
    unsafe target.copyBytes(from: prefix)
    guard let start = target.baseAddress else { return .null }
    let count = unsafe prefix.count + JSONDigits.write(key, to: start + prefix.count)
    return unsafe .text(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The address that an object would have which the store does not have.
  func dangling(key: Int64, destination: Int) -> Cell {
    guard case .text(let bytes) = address(key: key, number: destination, fallback: destination)
    else { return .null }
    return unsafe .dangling(bytes, isExpected: true)
  }

  /// Space for the addresses of objects of this entity, made once.
  func target(number: Int, fallback: Int) -> AddressBuffer {
    AddressBuffer(prefix: prefixes.bytes(number) ?? prefixes.bytes(fallback) ?? [])
  }

  /// The text of an identity attribute, or `nil` when it holds none that could be one.
  ///
  /// A text is copied when `keeps` says so, because its statement steps on before the row is read.
  package func value(_ statement: Statement, _ column: Int32, keeps: Bool) -> Cell? {
    switch statement.type(column) {
    case SQLITE_INTEGER:
      let target = unsafe arena.allocate(JSONDigits.integerCapacity)
      guard let start = target.baseAddress else { return nil }
      let count = unsafe JSONDigits.write(statement.integer(column), to: start)
      return unsafe .text(UnsafeRawBufferPointer(start: start, count: count))
    case SQLITE_TEXT:
      let text = unsafe statement.text(column)
      return unsafe .text(keeps ? arena.keep(text) : text)
    case SQLITE_BLOB:
      let bytes = unsafe statement.blob(column)
      return unsafe bytes.count == 16 ? Cell.text(arena.uuid(bytes)) : nil
    default:
      return nil
    }
  }
}

/// How the addresses of a store's objects begin: `x-coredata://UUID/Entity/p`, made once a store.
package struct AddressPrefixes {
  private let prefixes: [Int: [UInt8]]
  /// The same for small numbers, which nearly all are, by their place.
  private let usual: [[UInt8]]

  package init(storeUUID: String, names: [Int: EntityName]) {
    let prefixes = names.mapValues { Array("x-coredata://\(storeUUID)/\($0)/p".utf8) }
    self.prefixes = prefixes
    usual = (0..<256).map { prefixes[$0] ?? [] }
  }

  /// The one of the entity with this number, or `nil` when none has it.
  func bytes(_ number: Int) -> [UInt8]? {
    guard usual.indices.contains(number) else { return prefixes[number] }
    let prefix = usual[number]
    return prefix.isEmpty ? nil : prefix
  }
}

/// Where the address of one object after the other is written behind their common beginning.
@safe
struct AddressBuffer {
  private let start: UnsafeMutableRawPointer
  private let prefixCount: Int

  /// Takes memory, which ``free()`` gives back.
  init(prefix: [UInt8]) {
    prefixCount = prefix.count
    unsafe start = .allocate(byteCount: prefixCount + JSONDigits.integerCapacity, alignment: 1)
    unsafe UnsafeMutableRawBufferPointer(start: start, count: prefixCount).copyBytes(from: prefix)
  }

  func free() { unsafe start.deallocate() }

  /// The address of the object with this key, lent until the next call.
  @inline(__always)
  func address(of key: Int64) -> Cell {
    let count = unsafe prefixCount + JSONDigits.write(key, to: start + prefixCount)
    return unsafe .text(UnsafeRawBufferPointer(start: start, count: count))
  }
}
