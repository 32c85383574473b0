import JSONText
import Records
import TextCodecs

/// Members that follow each other in a record, written in one go while each value is what the model
/// says of it.
///
/// A value out of the ordinary stops it, and nothing is written: ``RecordWriter`` then writes the
/// members one by one, by the same rules and with the words for what is unusual. Here nothing is
/// checked twice, nothing is allocated, and all goes straight into the room.
///
/// It holds nothing whose references are counted, and so is passed around for nothing; ``free()``
/// gives back what it has.
struct UsualMembers {
  /// The numbers of the members.
  let members: Range<Int>
  private let fields: UnsafeMutableBufferPointer<Field>
  private let roomSize: Int

  /// Names are copied in steps of so many bytes, and may be followed by what is no name.
  static let nameStep = 16
  /// The room for texts and bytes with all their escapes; longer ones are not written here.
  private static let textRoom = 1 << 16
  /// The room for what is neither.
  private static let fieldRoom = max(
    DateText.longest + 2,
    JSONDigits.doubleRoom,
    JSONDigits.integerRoom,
    UUIDText.length + 2
  )

  /// One member.
  private struct Field {
    /// The name as ``JSONText/JSONWriter/name(ready:)`` takes it.
    let name: UnsafeRawPointer
    let nameCount: Int
    let cell: Int
    let form: ValueForm
    let isRequired: Bool
  }

  /// Takes members that are all single values of forms that can be written; their names outlive this.
  init(_ list: UnsafeMutableBufferPointer<MemberList.Member>, _ members: Range<Int>) {
    self.members = members
    let fields: [Field] = members.compactMap { index in
      guard let leaf = list[index].leaf, let name = list[index].readyName.baseAddress else {
        preconditionFailure("the member is no single value")
      }
      return Field(
        name: name,
        nameCount: list[index].readyName.count,
        cell: leaf.cell,
        form: leaf.form,
        isRequired: leaf.isRequired
      )
    }
    roomSize =
      fields.reduce(Self.textRoom) { $0 + $1.nameCount + Self.fieldRoom } + Self.nameStep
    self.fields = .allocate(capacity: fields.count)
    _ = self.fields.initialize(from: fields)
  }

  func free() { fields.deallocate() }

  /// Whether values of a form can be written here.
  static func canWrite(_ form: ValueForm) -> Bool {
    switch form {
    case .integer, .real, .decimal, .boolean, .date, .text, .uuid, .bytes, .found: true
    case .cutDate, .json, .transformed: false
    }
  }

  /// Writes the members; `false`, and nothing written, when a value is out of the ordinary.
  func write(_ cells: UnsafeBufferPointer<Cell>, into writer: inout JSONWriter) -> Bool {
    writer.members(atMost: roomSize) { room, needsComma in
      var place = room
      var skipped = needsComma ? 0 : 1
      var textRoom = Self.textRoom
      for field in fields {
        Self.copy(field.name + skipped, field.nameCount, to: place)
        place += field.nameCount - skipped
        skipped = 0
        let count = Self.write(cells[field.cell], as: field, to: place, &textRoom)
        if count == 0 { return nil }
        place += count
      }
      return place - room
    }
  }

  @inline(__always)
  private static func copy(
    _ name: UnsafeRawPointer,
    _ count: Int,
    to room: UnsafeMutableRawPointer
  ) {
    var index = 0
    repeat {
      let bytes = name.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      room.storeBytes(of: bytes, toByteOffset: index, as: SIMD16<UInt8>.self)
      index += nameStep
    } while index < count
  }

  /// Writes one value and gives the count of its bytes; zero for one out of the ordinary.
  @inline(__always)
  private static func write(
    _ cell: Cell,
    as field: Field,
    to room: UnsafeMutableRawPointer,
    _ textRoom: inout Int
  ) -> Int {
    switch cell {
    case .null: field.isRequired ? 0 : put("null", to: room)
    case .integer(let value): write(value, field.form, to: room)
    case .real(let value): write(value, field.form, to: room)
    case .text(let bytes):
      switch field.form {
      case .text, .uuid, .decimal, .found: write(text: bytes, to: room, &textRoom)
      default: 0
      }
    case .blob(let bytes): write(blob: bytes, field.form, to: room, &textRoom)
    default: 0
    }
  }

  @inline(__always)
  private static func write(
    _ value: Int64,
    _ form: ValueForm,
    to room: UnsafeMutableRawPointer
  ) -> Int {
    switch form {
    case .integer, .found: JSONDigits.write(value, to: room)
    case .boolean: value == 1 ? put("true", to: room) : value == 0 ? put("false", to: room) : 0
    default: 0
    }
  }

  @inline(__always)
  private static func write(
    _ value: Double,
    _ form: ValueForm,
    to room: UnsafeMutableRawPointer
  ) -> Int {
    switch form {
    case .real, .found: return value.isFinite ? JSONDigits.write(value, to: room) : 0
    case .date:
      guard let count = DateText.write(value, to: room + 1) else { return 0 }
      return quote(count, in: room)
    default: return 0
    }
  }

  @inline(__always)
  private static func write(
    text: UnsafeRawBufferPointer,
    to room: UnsafeMutableRawPointer,
    _ textRoom: inout Int
  ) -> Int {
    textRoom -= JSONQuoting.room(for: text.count)
    return textRoom < 0 ? 0 : JSONQuoting.write(text, to: room) ?? 0
  }

  @inline(__always)
  private static func write(
    blob: UnsafeRawBufferPointer,
    _ form: ValueForm,
    to room: UnsafeMutableRawPointer,
    _ textRoom: inout Int
  ) -> Int {
    if form == .uuid, blob.count == 16 {
      UUIDText.write(blob, to: room + 1)
      return quote(UUIDText.length, in: room)
    }
    let length = Base64.length(of: blob.count)
    textRoom -= length
    guard form == .bytes, textRoom >= 0 else { return 0 }
    Base64.write(blob, to: room + 1)
    return quote(length, in: room)
  }

  /// Puts the quotes around a text that begins behind the first byte.
  @inline(__always)
  private static func quote(_ count: Int, in room: UnsafeMutableRawPointer) -> Int {
    room.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
    room.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count + 1, as: UInt8.self)
    return count + 2
  }

  @inline(__always)
  private static func put(_ word: StaticString, to room: UnsafeMutableRawPointer) -> Int {
    room.copyMemory(from: word.utf8Start, byteCount: word.utf8CodeUnitCount)
    return word.utf8CodeUnitCount
  }
}
