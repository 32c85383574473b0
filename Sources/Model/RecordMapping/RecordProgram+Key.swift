package import Records
import TextCodecs

extension RecordProgram {
  /// The row's key, as the identity rule makes it.
  package func key(of row: Row) throws(RecordFault) -> String {
    switch row.cells[key.cell] {
    case .integer(let value): return String(value)
    case .text(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
        throw .noIdentity
      }
      return text
    case .blob(let bytes):
      guard let text = UUIDText.text(bytes) else { throw .noIdentity }
      return text
    default: throw .noIdentity
    }
  }
}
