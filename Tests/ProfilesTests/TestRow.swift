import Records

/// A row whose cells own their bytes for as long as the test holds it.
final class TestRow {
  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case rawText([UInt8])
    case blob([UInt8])
    case json(String)
    /// JSON, and the texts that belong at these places of it.
    case largeJSON(String, [(text: String, place: Int)])
    case list([String])
    case dangling(String, isExpected: Bool = true)
    case danglingList([String])
  }

  private var blocks: [UnsafeMutableRawBufferPointer] = []
  private var lent: [LargeValue] = []
  private var lists: [UnsafeMutableBufferPointer<Cell>] = []
  private let cells: UnsafeMutableBufferPointer<Cell>

  init(_ values: [Value]) {
    cells = .allocate(capacity: values.count)
    cells.initialize(repeating: .null)
    for (index, value) in values.enumerated() { cells[index] = cell(value) }
  }

  deinit {
    for block in blocks { block.deallocate() }
    for list in lists { list.deallocate() }
    cells.deallocate()
  }

  var row: Row { Row(place: 1, cells: UnsafeBufferPointer(cells)) }

  private func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    block.copyBytes(from: bytes)
    blocks.append(block)
    return UnsafeRawBufferPointer(block)
  }

  private func cell(_ value: Value) -> Cell {
    switch value {
    case .null: return .null
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .text(let text): return .text(keep(Array(text.utf8)))
    case .rawText(let bytes): return .text(keep(bytes))
    case .blob(let bytes): return .blob(keep(bytes))
    case .json(let text): return .json(keep(Array(text.utf8)))
    case .largeJSON(let json, let texts):
      let value = LargeValue(
        json: Array(json.utf8),
        texts: texts.map { (LargeValue(isText: true, bytes: Array($0.text.utf8)), $0.place) }
      )
      lent.append(value)
      return .lending(value)
    case .dangling(let text, let isExpected):
      return .dangling(keep(Array(text.utf8)), isExpected: isExpected)
    case .danglingList(let texts):
      let list = UnsafeMutableBufferPointer<Cell>.allocate(capacity: texts.count)
      list.initialize(repeating: .null)
      for (index, text) in texts.enumerated() {
        // Every other one is there.
        let bytes = keep(Array(text.utf8))
        list[index] = index.isMultiple(of: 2) ? .text(bytes) : .dangling(bytes, isExpected: true)
      }
      lists.append(list)
      return .list(UnsafeBufferPointer(list))
    case .list(let texts):
      let list = UnsafeMutableBufferPointer<Cell>.allocate(capacity: texts.count)
      list.initialize(repeating: .null)
      for (index, text) in texts.enumerated() { list[index] = .text(keep(Array(text.utf8))) }
      lists.append(list)
      return .list(UnsafeBufferPointer(list))
    }
  }
}
