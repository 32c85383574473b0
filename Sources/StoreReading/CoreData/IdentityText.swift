import CSQLite
import Records

/// Writes the texts by which records are referred to, without making strings.
@safe
struct IdentityText {
  private let arena: Arena
  /// `x-coredata://UUID/Entity/p`, by the entity's number.
  private let prefixes: [Int: [UInt8]]
  /// The same for small numbers, which nearly all are, by their place.
  private let usual: [[UInt8]]

  private static let digits = Array("0123456789ABCDEF".utf8)

  init(arena: Arena, storeUUID: String, names: [Int: EntityName]) {
    self.arena = arena
    let prefixes = names.mapValues { Array("x-coredata://\(storeUUID)/\($0)/p".utf8) }
    self.prefixes = prefixes
    usual = (0..<256).map { prefixes[$0] ?? [] }
  }

  /// The address of the object with this key; `fallback` counts when `number` is no entity's.
  func address(key: Int64, number: Int, fallback: Int) -> Cell {
    let prefix = prefix(number) ?? prefix(fallback) ?? []
    let room = unsafe arena.allocate(prefix.count + 20)
    unsafe room.copyBytes(from: prefix)
    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[prefix.count...])
    let count = unsafe prefix.count + Self.write(key, to: rest)
    return unsafe .text(UnsafeRawBufferPointer(rebasing: room[..<count]))
  }

  private func prefix(_ number: Int) -> [UInt8]? {
    guard usual.indices.contains(number) else { return prefixes[number] }
    let prefix = usual[number]
    return prefix.isEmpty ? nil : prefix
  }

  /// The text of an identity attribute, or `nil` when it holds none that could be one.
  ///
  /// A text is copied when `keeps` says so, because its statement steps on before the row is read.
  func value(_ statement: Statement, _ column: Int32, keeps: Bool) -> Cell? {
    switch statement.type(column) {
    case SQLITE_INTEGER:
      let room = unsafe arena.allocate(20)
      let count = unsafe Self.write(statement.integer(column), to: room)
      return unsafe .text(UnsafeRawBufferPointer(rebasing: room[..<count]))
    case SQLITE_TEXT:
      let text = unsafe statement.text(column)
      return unsafe .text(keeps ? arena.keep(text) : text)
    case SQLITE_BLOB:
      let bytes = unsafe statement.blob(column)
      return unsafe bytes.count == 16 ? uuid(bytes) : nil
    default:
      return nil
    }
  }

  @unsafe
  private func uuid(_ bytes: UnsafeRawBufferPointer) -> Cell {
    let room = unsafe arena.allocate(36)
    var place = 0
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 {
        unsafe room[place] = UInt8(ascii: "-")
        place += 1
      }
      let byte = unsafe bytes[index]
      unsafe room[place] = Self.digits[Int(byte >> 4)]
      unsafe room[place + 1] = Self.digits[Int(byte & 15)]
      place += 2
    }
    return unsafe .text(UnsafeRawBufferPointer(room))
  }

  /// Writes a number in decimal, which takes at most 20 bytes, and gives their count.
  @unsafe
  private static func write(_ number: Int64, to room: UnsafeMutableRawBufferPointer) -> Int {
    var rest = number.magnitude
    var count = number < 0 ? 2 : 1
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    rest = number.magnitude
    var place = count
    repeat {
      place -= 1
      unsafe room[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if number < 0 { unsafe room[0] = UInt8(ascii: "-") }
    return count
  }
}
