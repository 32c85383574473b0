#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// The place of the first byte of a value, or `nil`.
  func firstPlace(of byte: UInt8) -> Int? {
    guard let base = baseAddress, count > 0, let found = memchr(base, Int32(byte), count) else {
      return nil
    }
    return UnsafeRawPointer(found) - base
  }
}
