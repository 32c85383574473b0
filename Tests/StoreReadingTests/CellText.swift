import Records

/// A cell as text, so that a test can compare rows at a glance.
func described(_ cell: Cell) -> String {
  switch cell {
  case .null: "null"
  case .integer(let number): String(number)
  case .real(let number): "\(number)"
  case .text(let bytes): String(decoding: bytes, as: UTF8.self)
  case .blob(let bytes): "<" + bytes.map { String($0, radix: 16) }.joined(separator: " ") + ">"
  case .large: "large, \(cell.large?.count ?? 0) bytes"
  case .json(let bytes): "json " + String(decoding: bytes, as: UTF8.self)
  case .list(let cells): "[" + cells.map { described($0) }.joined(separator: ", ") + "]"
  case .dangling(let bytes, _): "dangling " + String(decoding: bytes, as: UTF8.self)
  case .lostFile(let name): "lost " + String(decoding: name, as: UTF8.self)
  }
}
