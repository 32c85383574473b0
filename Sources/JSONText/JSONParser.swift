#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Strict JSON, read in one pass into a tape.
///
/// Accepts exactly RFC 8259 in well-formed UTF-8, and of that only what every reader understands
/// alike: no byte order mark, no member name twice in one object, no lone surrogate.
///
/// The parser keeps no stack: an open array or object holds the index of the one around it in its
/// `link` until it closes.
///
/// https://www.rfc-editor.org/rfc/rfc8259
@safe
struct JSONParser: ~Copyable {
  var entries: UnsafeMutablePointer<JSONTapeEntry>
  var entryCount = 0
  var capacity = 256
  /// Names that had escapes, unescaped.
  var scratch = ByteStore()
  /// For each open object, one bit for every name's fingerprint, folded to a few hundred bits.
  var filters: UnsafeMutablePointer<NameFilter>
  let maximumDepth: Int
  private let maximumBytes: Int

  init(limits: JSONLimits) {
    unsafe entries = Self.target(capacity, instead: nil)
    unsafe filters = .allocate(capacity: limits.maximumDepth + 1)
    maximumDepth = limits.maximumDepth
    maximumBytes = limits.maximumBytes
  }

  deinit {
    unsafe free(entries)
    unsafe filters.deallocate()
  }

  /// Writes the tape of `bytes`, which hold one value and the white space around it.
  mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    let source = unsafe try begin(bytes)
    do throws(Fault) {
      let position = unsafe try document(source)
      unsafe try expectEnd(source, position)
    } catch {
      throw unsafe fail(error, in: bytes)
    }
  }

  /// Begins to read an array one element at a time, and gives where the first one is; `nil` for an array
  /// without any.
  mutating func beginElements(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> Int? {
    let source = unsafe try begin(bytes)
    do throws(Fault) {
      return unsafe try firstElement(source)
    } catch {
      throw unsafe fail(error, in: bytes)
    }
  }

  /// Writes the tape of the element that begins at `start`, and gives where the next one is; `nil` behind
  /// the last.
  mutating func parseElement(
    _ bytes: UnsafeRawBufferPointer,
    from start: Int
  ) throws(JSONError) -> Int? {
    let source = unsafe try begin(bytes)
    do throws(Fault) {
      return unsafe try element(source, from: start)
    } catch {
      throw unsafe fail(error, in: bytes)
    }
  }

  /// Forgets what was read before; gives the bytes to read, if they are not too many.
  private mutating func begin(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> Source {
    entryCount = 0
    scratch.removeAll()
    guard bytes.count <= maximumBytes else {
      throw JSONError(
        offset: 0,
        line: 1,
        message: "the document has \(bytes.count) bytes; at most \(maximumBytes) are read"
      )
    }
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      throw JSONError(offset: 0, line: 1, message: "the document is empty")
    }
    return unsafe Source(base: base, end: bytes.count)
  }

  private mutating func fail(_ fault: Fault, in bytes: UnsafeRawBufferPointer) -> JSONError {
    entryCount = 0
    return unsafe JSONError(fault.message, at: fault.position, in: bytes)
  }

  /// The bits of the names that an object has had so far.
  typealias NameFilter = SIMD8<UInt64>

  /// The bytes being read.
  @unsafe
  struct Source {
    let base: UnsafeRawPointer
    let end: Int

    @inline(__always)
    subscript(position: Int) -> UInt8 {
      unsafe base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// The first position from `position` on that is not white space.
    @inline(__always)
    func skippingSpace(_ position: Int) -> Int {
      var position = position
      while unsafe position < end {
        let byte = unsafe self[position]
        guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
          break
        }
        position &+= 1
      }
      return position
    }
  }

  /// A fault before its line is known.
  struct Fault: Error {
    let message: String
    let position: Int

    @inline(never)
    init(_ message: String, _ position: Int) {
      self.message = message
      self.position = position
    }
  }

  /// From so many entries on, a tape is not kept for the next document.
  private static let large = 1 << 16

  /// Forgets what was read, and gives back the space of a large tape.
  mutating func forget() {
    entryCount = 0
    guard capacity > Self.large else { return }
    unsafe free(entries)
    capacity = 256
    unsafe entries = Self.target(capacity, instead: nil)
  }

  @inline(never)
  mutating func grow() {
    capacity *= 2
    unsafe entries = Self.target(capacity, instead: entries)
  }

  /// Space for a tape, with what `old` space held.
  ///
  /// Where there is much of it the system moves the pages; a copy would need both at once.
  private static func target(
    _ capacity: Int,
    instead old: UnsafeMutablePointer<JSONTapeEntry>?
  ) -> UnsafeMutablePointer<JSONTapeEntry> {
    let size = capacity * MemoryLayout<JSONTapeEntry>.stride
    guard let target = unsafe realloc(old, size) else {
      fatalError("the system has no memory for a tape of \(size) bytes")
    }
    return unsafe target.bindMemory(to: JSONTapeEntry.self, capacity: capacity)
  }
}
