import JSONText

/// A document's tape, read from inside this module.
///
/// The same reading as ``JSONTape`` has; written again here because the compiler puts a function in
/// the place of its call only within one module, and these are called for every member.
@unsafe
struct TapeView {
  private let entries: UnsafePointer<TapeEntry>
  private let source: UnsafeRawPointer
  private let scratch: UnsafeRawPointer

  init(_ tape: JSONTape) {
    // An entry is two words, whatever they are called.
    unsafe entries = UnsafeRawPointer(tape.entries).assumingMemoryBound(to: TapeEntry.self)
    unsafe source = tape.source
    unsafe scratch = tape.scratch
  }

  @inline(__always)
  subscript(index: Int) -> TapeEntry {
    unsafe entries[index]
  }

  /// The index of the entry after the value at `index` and all that it holds.
  @inline(__always)
  func indexAfter(_ index: Int) -> Int {
    let entry = unsafe entries[index]
    return entry.kindBit >= KindBit.array ? Int(entry.link) : index + 1
  }

  /// The unescaped bytes of the member's name at `index`.
  @inline(__always)
  func name(at index: Int) -> UnsafeRawBufferPointer {
    let entry = unsafe entries[index]
    let base = unsafe entry.flags & EntryFlag.isInScratch == 0 ? source : scratch
    return unsafe UnsafeRawBufferPointer(start: base + Int(entry.offset), count: Int(entry.length))
  }

  /// The bytes of a number, or those between a string's quotes.
  @inline(__always)
  func raw(at index: Int) -> UnsafeRawBufferPointer {
    let entry = unsafe entries[index]
    return unsafe UnsafeRawBufferPointer(
      start: source + Int(entry.offset),
      count: Int(entry.length)
    )
  }
}

/// One entry of a tape, as ``JSONTapeEntry`` describes it, with its parts taken out in this module.
struct TapeEntry {
  let head: UInt64
  let tail: UInt64

  @inline(__always)
  var kind: JSONKind { unsafe unsafeBitCast(UInt8(truncatingIfNeeded: head), to: JSONKind.self) }
  @inline(__always)
  var flags: UInt8 { UInt8(truncatingIfNeeded: head &>> 8) }
  @inline(__always)
  var kindBit: UInt8 { UInt8(truncatingIfNeeded: head &>> 16) }
  @inline(__always)
  var offset: UInt32 { UInt32(truncatingIfNeeded: head &>> 32) }
  @inline(__always)
  var length: UInt32 { UInt32(truncatingIfNeeded: tail) }
  @inline(__always)
  var link: UInt32 { UInt32(truncatingIfNeeded: tail &>> 32) }
}

/// The kinds of value as bits, as a tape's entries and a schema's types hold them.
enum KindBit {
  static let null: UInt8 = 1
  static let boolean: UInt8 = 2
  static let number: UInt8 = 4
  static let string: UInt8 = 8
  static let array: UInt8 = 16
  static let object: UInt8 = 32
  static let container: UInt8 = 48
}

/// The flags of ``TapeEntry``, as constants of this module.
enum EntryFlag {
  static let isTrue: UInt8 = 1
  static let isPlainInteger: UInt8 = 1
  static let hasEscapes: UInt8 = 2
  static let hasNonASCII: UInt8 = 4
  static let isInScratch: UInt8 = 8
  static let isName: UInt8 = 16
}
