import JSONText

/// How what an object holds is written.
extension ArchiveJSONWriter {
  mutating func write(_ content: ArchivedContent, depth: Int) throws(PropertyListError) {
    switch content {
    case .null: out.null()
    case .text(let text): try writeText(text)
    case .wrapped(let name, let text): try writeWrapped(name, text)
    case .data(let bytes): try writeData(bytes)
    case .members(let members): try writeObject(members, depth: depth)
    case .elements(let elements, nil): try writeArray(elements, depth: depth)
    case .elements(let elements, let name?):
      begin(name)
      try writeArray(elements, depth: depth)
      out.endObject()
    case .pairs(let pairs):
      begin("$dictionary")
      out.beginArray()
      for pair in pairs {
        try writeObject([("key", pair.key), ("value", pair.value)], depth: depth + 1)
      }
      out.endArray()
      out.endObject()
    case .counted(let counted):
      begin("$countedSet")
      out.beginArray()
      for item in counted {
        try writeObject([("count", .integer(item.count)), ("value", item.value)], depth: depth + 1)
      }
      out.endArray()
      out.endObject()
    case .numbers(let numbers, let name):
      try reserve(numbers.count * 20)
      begin(name)
      out.beginArray()
      for number in numbers { out.integer(number) }
      out.endArray()
      out.endObject()
    case .ranges(let ranges, let name): try write(ranges, name: name)
    case .attributed(let text, let runs): try write(text, runs: runs, depth: depth)
    }
  }

  private mutating func begin(_ name: String) {
    out.beginObject()
    out.name(name)
  }

  private mutating func write(
    _ ranges: [(location: Int64, length: Int64)],
    name: String
  ) throws(PropertyListError) {
    try reserve(ranges.count * 64)
    begin(name)
    if name != "$range" { out.beginArray() }
    for range in ranges {
      begin("length")
      out.integer(range.length)
      out.name("location")
      out.integer(range.location)
      out.endObject()
    }
    if name != "$range" { out.endArray() }
    out.endObject()
  }

  private mutating func write(
    _ text: String,
    runs: [(length: Int64, attributes: PropertyList)],
    depth: Int
  ) throws(PropertyListError) {
    begin("$attributedString")
    begin("runs")
    out.beginArray()
    for run in runs {
      begin("attributes")
      try write(run.attributes, depth: depth + 1)
      out.name("length")
      out.integer(run.length)
      out.endObject()
    }
    out.endArray()
    out.name("string")
    try writeText(text)
    out.endObject()
    out.endObject()
  }
}
