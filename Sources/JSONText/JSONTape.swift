/// One entry of a document's tape: sixteen bytes, held as two words so that it travels in registers.
///
/// | kind | `offset` | `length` | `link` |
/// |---|---|---|---|
/// | null, boolean | first byte | bytes | – |
/// | number | first byte | bytes | – |
/// | string | first byte inside the quotes | bytes inside the quotes | code points |
/// | a member's name | as a string, or into the names skipped | bytes | fingerprint |
/// | array, object | its bracket | elements or members | the entry after its last |
///
/// An object is followed by its members, each a name and a value; an array by its elements.
package struct JSONTapeEntry {
  /// Kind, flags and the kind's bit in the lower half, a byte each; `offset` in the upper.
  package let head: UInt64
  /// `length` in the lower half, `link` in the upper.
  package private(set) var tail: UInt64

  @inline(__always)
  init(_ kind: JSONKind, flags: UInt8 = 0, offset: Int, length: Int, link: UInt32 = 0) {
    let bit = 1 &<< UInt64(kind.rawValue)
    head =
      UInt64(kind.rawValue) | UInt64(flags) &<< 8 | bit &<< 16
      | UInt64(truncatingIfNeeded: offset) &<< 32
    tail = UInt64(UInt32(truncatingIfNeeded: length)) | UInt64(link) &<< 32
  }

  @inline(__always)
  mutating func set(length: UInt32, link: UInt32) {
    tail = UInt64(length) | UInt64(link) &<< 32
  }

  @inlinable
  @inline(__always)
  package var kind: JSONKind {
    unsafe unsafeBitCast(UInt8(truncatingIfNeeded: head), to: JSONKind.self)
  }

  @inlinable
  @inline(__always)
  package var flags: UInt8 {
    UInt8(truncatingIfNeeded: head &>> 8)
  }

  /// One bit for the kind: 1 shifted by its raw value.
  @inlinable
  @inline(__always)
  package var kindBit: UInt8 {
    UInt8(truncatingIfNeeded: head &>> 16)
  }

  @inlinable
  @inline(__always)
  package var offset: UInt32 {
    UInt32(truncatingIfNeeded: head &>> 32)
  }

  @inlinable
  @inline(__always)
  package var length: UInt32 {
    UInt32(truncatingIfNeeded: tail)
  }

  @inlinable
  @inline(__always)
  package var link: UInt32 {
    UInt32(truncatingIfNeeded: tail &>> 32)
  }

  /// The value is `true`.
  @inlinable package static var isTrue: UInt8 { 1 }
  /// The number is digits with at most a sign: no fraction and no exponent.
  @inlinable package static var isPlainInteger: UInt8 { 1 }
  /// The string holds at least one backslash.
  @inlinable package static var hasEscapes: UInt8 { 2 }
  /// The string holds at least one byte above 127.
  @inlinable package static var hasNonASCII: UInt8 { 4 }
  /// The name was unescaped into the document's names skipped.
  @inlinable package static var isInScratch: UInt8 { 8 }
  /// The string is a member's name.
  @inlinable package static var isName: UInt8 { 16 }
}

/// The entries of a parsed document, lent as addresses for code that must be fast.
///
/// Valid until the document parses again or ends. Nothing here is checked: an index must come from
/// the same document.
@unsafe
package struct JSONTape {
  package let entries: UnsafePointer<JSONTapeEntry>
  package let source: UnsafeRawPointer
  package let scratch: UnsafeRawPointer

  init(entries: UnsafePointer<JSONTapeEntry>, source: UnsafeRawPointer, scratch: UnsafeRawPointer) {
    unsafe self.entries = entries
    unsafe self.source = source
    unsafe self.scratch = scratch
  }

  /// The entry at `index`.
  @inlinable
  @inline(__always)
  package subscript(index: Int) -> JSONTapeEntry {
    unsafe entries[index]
  }

  /// The index of the entry after the value at `index` and all that it holds.
  @inlinable
  @inline(__always)
  package func indexAfter(_ index: Int) -> Int {
    let entry = unsafe entries[index]
    return entry.kind.rawValue >= JSONKind.array.rawValue ? Int(entry.link) : index + 1
  }

  /// The unescaped bytes of the member's name at `index`.
  @inlinable
  @inline(__always)
  package func name(at index: Int) -> UnsafeRawBufferPointer {
    let entry = unsafe entries[index]
    let base = unsafe entry.flags & JSONTapeEntry.isInScratch == 0 ? source : scratch
    return unsafe UnsafeRawBufferPointer(start: base + Int(entry.offset), count: Int(entry.length))
  }

  /// The bytes of the number at `index`, or those between the quotes of the string there, escapes
  /// and all.
  @inlinable
  @inline(__always)
  package func raw(at index: Int) -> UnsafeRawBufferPointer {
    let entry = unsafe entries[index]
    return unsafe UnsafeRawBufferPointer(
      start: source + Int(entry.offset),
      count: Int(entry.length)
    )
  }
}
