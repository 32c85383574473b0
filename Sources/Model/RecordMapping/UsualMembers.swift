import JSONText
import Records
import TextCodecs

/// Members that follow each other in a record, written in one go while each value is what the model
/// says of it.
///
/// A value out of the ordinary stops it, and nothing is written: ``RecordWriter`` then writes the
/// members one by one, by the same rules and with the words for what is unusual. Here nothing is
/// checked twice, nothing is allocated, and all goes straight into the space.
///
/// It holds nothing whose references are counted, and so is passed around for nothing; ``free()``
/// gives back what it has.
struct UsualMembers {
  /// The numbers of the members.
  let members: Range<Int>
  private let fields: UnsafeMutableBufferPointer<Field>
  private let bufferSize: Int

  /// Names are copied in steps of so many bytes, and may be followed by what is no name.
  static let nameStep = 16
  /// The space for texts and bytes with all their escapes; longer ones are not written here.
  private static let textCapacity = 1 << 16
  /// The space for what is neither.
  private static let fieldCapacity = max(
    DateText.longest + 2,
    JSONDigits.doubleCapacity,
    JSONDigits.integerCapacity,
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
        preconditionFailure("the member is not a single value")
      }
      return Field(
        name: name,
        nameCount: list[index].readyName.count,
        cell: leaf.cell,
        form: leaf.form,
        isRequired: leaf.isRequired
      )
    }
    bufferSize =
      fields.reduce(Self.textCapacity) { $0 + $1.nameCount + Self.fieldCapacity } + Self.nameStep
    self.fields = .allocate(capacity: fields.count)
    _ = self.fields.initialize(from: fields)
  }

  func free() { fields.deallocate() }

  /// Whether values of a form can be written here.
  static func canWrite(_ form: ValueForm) -> Bool {
    switch form {
    case .integer, .real, .decimal, .boolean, .date, .text, .uuid, .bytes, .found: true
    case .cutDate, .key, .json, .archive, .list, .transformed: false
    }
  }

  /// Writes the members; `false`, and nothing written, when a value is out of the ordinary.
  func write(_ cells: UnsafeBufferPointer<Cell>, into writer: inout JSONWriter) -> Bool {
    writer.members(atMost: bufferSize) { target, needsComma in
      var place = target
      var skipped = needsComma ? 0 : 1
      var textCapacity = Self.textCapacity
      for field in fields {
        Self.copy(field.name + skipped, field.nameCount, to: place)
        place += field.nameCount - skipped
        skipped = 0
        let count = Self.write(cells[field.cell], as: field, to: place, &textCapacity)
        if count == 0 { return nil }
        place += count
      }
      return place - target
    }
  }

  @inline(__always)
  private static func copy(
    _ name: UnsafeRawPointer,
    _ count: Int,
    to target: UnsafeMutableRawPointer
  ) {
    var index = 0
    repeat {
      let bytes = name.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      target.storeBytes(of: bytes, toByteOffset: index, as: SIMD16<UInt8>.self)
      index += nameStep
    } while index < count
  }

  /// Writes one value and gives the count of its bytes; zero for one out of the ordinary.
  @inline(__always)
  private static func write(
    _ cell: Cell,
    as field: Field,
    to target: UnsafeMutableRawPointer,
    _ textCapacity: inout Int
  ) -> Int {
    switch cell {
    case .null: field.isRequired ? 0 : put("null", to: target)
    case .integer(let value): write(value, field.form, to: target)
    case .real(let value): write(value, field.form, to: target)
    case .text(let bytes):
      switch field.form {
      case .text, .uuid, .decimal, .found: write(text: bytes, to: target, &textCapacity)
      default: 0
      }
    case .blob(let bytes): write(blob: bytes, field.form, to: target, &textCapacity)
    default: 0
    }
  }

  @inline(__always)
  private static func write(
    _ value: Int64,
    _ form: ValueForm,
    to target: UnsafeMutableRawPointer
  ) -> Int {
    switch form {
    case .integer, .found: JSONDigits.write(value, to: target)
    case .boolean: value == 1 ? put("true", to: target) : value == 0 ? put("false", to: target) : 0
    default: 0
    }
  }

  @inline(__always)
  private static func write(
    _ value: Double,
    _ form: ValueForm,
    to target: UnsafeMutableRawPointer
  ) -> Int {
    switch form {
    case .real, .found: return value.isFinite ? JSONDigits.write(value, to: target) : 0
    case .date:
      guard let count = DateText.write(value, to: target + 1) else { return 0 }
      return quote(count, in: target)
    default: return 0
    }
  }

  @inline(__always)
  private static func write(
    text: UnsafeRawBufferPointer,
    to target: UnsafeMutableRawPointer,
    _ textCapacity: inout Int
  ) -> Int {
    textCapacity -= JSONQuoting.capacity(for: text.count)
    return textCapacity < 0 ? 0 : JSONQuoting.write(text, to: target) ?? 0
  }

  @inline(__always)
  private static func write(
    blob: UnsafeRawBufferPointer,
    _ form: ValueForm,
    to target: UnsafeMutableRawPointer,
    _ textCapacity: inout Int
  ) -> Int {
    if form == .uuid, blob.count == 16 {
      UUIDText.write(blob, to: target + 1)
      return quote(UUIDText.length, in: target)
    }
    let length = Base64.length(of: blob.count)
    textCapacity -= length
    guard form == .bytes, textCapacity >= 0 else { return 0 }
    Base64.write(blob, to: target + 1)
    return quote(length, in: target)
  }

  /// Puts the quotes around a text that begins behind the first byte.
  @inline(__always)
  private static func quote(_ count: Int, in target: UnsafeMutableRawPointer) -> Int {
    target.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
    target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count + 1, as: UInt8.self)
    return count + 2
  }

  @inline(__always)
  private static func put(_ word: StaticString, to target: UnsafeMutableRawPointer) -> Int {
    target.copyMemory(from: word.utf8Start, byteCount: word.utf8CodeUnitCount)
    return word.utf8CodeUnitCount
  }
}
