/// Why bytes were not taken as JSON, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// How many bytes lie before the place of the fault.
  package let offset: Int
  /// The line of the fault, counted from one.
  package let line: Int
  /// What is wrong, as a lower-case clause without a full stop.
  package let message: String

  package init(offset: Int, line: Int, message: String) {
    self.offset = offset
    self.line = line
    self.message = message
  }

  package var description: String {
    "line \(line), byte \(offset): \(message)"
  }
}

extension JSONError {
  /// Counts the lines up to `offset` and makes the error.
  @inline(never)
  init(_ message: String, at offset: Int, in bytes: UnsafeRawBufferPointer) {
    var line = 1
    for index in 0..<min(offset, bytes.count) where unsafe bytes[index] == 0x0A {
      line += 1
    }
    self.init(offset: offset, line: line, message: message)
  }
}
