package import DocumentChecking
import JSONText

/// A line of JSON for each document, gathered as bytes until they are written.
///
/// Documents without a fault are most, so their lines are written without a value in between.
package struct DocumentLines {
  private let form: StandardOutput?
  private var writer = JSONWriter()

  /// - Parameter form: The form of JSON Schema itself; Ferry's own where it is `nil`.
  package init(_ form: StandardOutput? = nil) { self.form = form }

  /// Adds the lines of what was found, and gives out what is gathered to `write`.
  package mutating func put(_ stretches: [DocumentCheck.Stretch], _ write: ([UInt8]) -> Void) {
    for stretch in stretches {
      switch stretch {
      case .valid(let lines):
        for line in lines {
          addValid(line)
          if writer.count >= Self.blockSize { flush(write) }
        }
      case .document(let verdict):
        let value = form?.value(of: verdict) ?? DocumentText.value(of: verdict)
        writer.raw(Array(value.canonicalText.escapedForDisplay.utf8))
        writer.endLine()
        if writer.count >= Self.blockSize { flush(write) }
      }
    }
    flush(write)
  }

  /// How many bytes are gathered before they are written.
  private static let blockSize = 1 << 16

  private mutating func flush(_ write: ([UInt8]) -> Void) {
    guard writer.count > 0 else { return }
    write(writer.bytes)
    writer.reset()
  }

  /// Adds the line of a document without a fault, and without annotations.
  private mutating func addValid(_ line: Int) {
    writer.beginObject()
    if form == nil {
      writer.name("findings")
      writer.beginArray()
      writer.endArray()
      writer.name("line")
      writer.integer(Int64(line))
    }
    writer.name("valid")
    writer.boolean(true)
    writer.endObject()
    writer.endLine()
  }
}
