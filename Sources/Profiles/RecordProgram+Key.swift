package import Records

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
    case .blob(let bytes) where bytes.count == 16:
      var text: [UInt8] = []
      UUIDText.append(bytes, to: &text)
      return String(decoding: text, as: UTF8.self)
    default: throw .noIdentity
    }
  }
}
