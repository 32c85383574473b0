import Files

/// The walk over one binary list.
struct BinaryReader {
  let bytes: ListBytes
  /// Where long leaves are read again, and where they go that have another form there; `nil` where every leaf is
  /// held.
  let file: ListFile?
  let scratch: LeafScratch?
  private let limits: PropertyListLimits
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  /// Where the objects end and the offset table begins.
  let tableOffset: Int
  let top: Int

  private var finished: [PropertyList?]
  /// The number of values below an object, itself counted; -1 while it is being read.
  private var nodeCounts: [Int]
  /// The bytes of text and data below an object, each counted as often as it is referred to.
  private var unfoldedSizes: [Int]
  var notes: [PropertyListNote] = []

  private static let trailerSize = 32

  init(
    _ bytes: ListBytes,
    of file: ListFile? = nil,
    limits: PropertyListLimits
  ) throws(PropertyListError) {
    guard bytes.count >= 8 + Self.trailerSize else {
      throw .malformed(offset: bytes.count, reason: "it ends before its trailer")
    }
    let trailer = bytes.count - Self.trailerSize
    offsetSize = Int(try bytes.byte(at: trailer + 6))
    referenceSize = Int(try bytes.byte(at: trailer + 7))
    guard (1...8).contains(offsetSize) else {
      throw .malformed(offset: trailer + 6, reason: "offsets of \(offsetSize) bytes")
    }
    guard (1...8).contains(referenceSize) else {
      throw .malformed(offset: trailer + 7, reason: "references of \(referenceSize) bytes")
    }
    self.bytes = bytes
    self.file = file
    scratch = file == nil ? nil : LeafScratch(limits)
    self.limits = limits
    let declaredCount = try bytes.number(at: trailer + 8, size: 8)
    let declaredTop = try bytes.number(at: trailer + 16, size: 8)
    let declaredTable = try bytes.number(at: trailer + 24, size: 8)
    guard declaredTable >= 9, declaredTable <= UInt64(trailer) else {
      throw .malformed(offset: trailer + 24, reason: "the offset table lies outside the list")
    }
    tableOffset = Int(declaredTable)
    let target = (trailer - tableOffset) / offsetSize
    guard declaredCount >= 1, declaredCount <= UInt64(target) else {
      throw .malformed(
        offset: trailer + 8,
        reason: "\(declaredCount) objects, and the offset table has space for \(target)"
      )
    }
    guard declaredTop < declaredCount else {
      throw .malformed(offset: trailer + 16, reason: "the top object is not in the table")
    }
    count = Int(declaredCount)
    top = Int(declaredTop)
    finished = Array(repeating: nil, count: count)
    nodeCounts = Array(repeating: 0, count: count)
    unfoldedSizes = Array(repeating: 0, count: count)
  }

  /// The most values that the list may have when each is counted as often as it is referred to.
  ///
  /// Programs write equal strings and numbers once, and refer to them with a byte and more; so a list
  /// of values has no more of them than the file has bytes. Above that, containers are shared.
  private var mostNodes: Int { min(limits.nodeCount, bytes.count + 1 << 19) }

  /// The most bytes of text and data, counted likewise.
  private var mostUnfolded: Int { 4 * bytes.count + 16 << 20 }

  /// Reads the object with this number in the offset table.
  mutating func object(_ index: Int, depth: Int) throws(PropertyListError) -> PropertyList {
    if let value = finished[index] { return value }
    let offset = try offset(of: index)
    guard nodeCounts[index] == 0 else {
      throw .malformed(offset: offset, reason: "a container contains itself")
    }
    guard depth <= limits.depth else {
      throw .beyondLimit("containers lie more than \(limits.depth) deep")
    }
    nodeCounts[index] = -1
    let value = try read(at: offset, index: index, depth: depth)
    finished[index] = value
    return value
  }

  private mutating func read(
    at offset: Int,
    index: Int,
    depth: Int
  ) throws(PropertyListError) -> PropertyList {
    let marker = try bytes.byte(at: offset)
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0xA, 0xC, 0xB:
      let (start, count) = try extent(at: offset, low: low)
      let elements = try references(
        at: start,
        count: count,
        of: offset,
        index: index,
        depth: depth,
        parts: 1
      )
      return marker >> 4 == 0xA ? .array(elements) : .set(elements)
    case 0xD:
      let (start, count) = try extent(at: offset, low: low)
      return try dictionary(at: start, count: count, of: offset, index: index, depth: depth)
    default:
      nodeCounts[index] = 1
      let value = try leaf(at: offset, kind: marker >> 4, low: low)
      unfoldedSizes[index] = value.byteCount
      return value
    }
  }

  private mutating func dictionary(
    at start: Int,
    count: Int,
    of offset: Int,
    index: Int,
    depth: Int
  ) throws(PropertyListError) -> PropertyList {
    let values = try references(
      at: start,
      count: count,
      of: offset,
      index: index,
      depth: depth,
      parts: 2
    )
    var members = MemberList()
    for position in 0..<count {
      guard let name = try name(values[position]) else {
        throw .malformed(offset: offset, reason: "a name of the dictionary is not a string")
      }
      if let dropped = members.append(name: name, value: values[count + position]) {
        notes.append(.repeatedName(name, dropped: dropped, place: "byte \(offset)"))
      }
    }
    return .dictionary(members.members)
  }

  /// The name that an object is, held however long it is; `nil` for one that is no text.
  private func name(_ value: PropertyList) throws(PropertyListError) -> String? {
    guard case .long(let leaf) = value, leaf.isText else { return value.text }
    return try filing { () throws(FileError) in try leaf.held() }.text
  }

  /// Reads the objects a container refers to; a dictionary has two such lists (`parts`).
  private mutating func references(
    at start: Int,
    count: Int,
    of offset: Int,
    index: Int,
    depth: Int,
    parts: Int
  ) throws(PropertyListError) -> [PropertyList] {
    let (total, isTooMany) = count.multipliedReportingOverflow(by: parts * referenceSize)
    guard !isTooMany, total <= tableOffset - start else {
      throw .malformed(offset: offset, reason: "\(count) elements do not fit into the list")
    }
    var values: [PropertyList] = []
    values.reserveCapacity(count * parts)
    var nodeCount = 1
    var unfolded = 0
    for position in 0..<(count * parts) {
      let place = start + position * referenceSize
      let reference = try bytes.number(at: place, size: referenceSize)
      guard reference < UInt64(self.count) else {
        throw .malformed(offset: place, reason: "object \(reference) is not in the table")
      }
      values.append(try object(Int(reference), depth: depth + 1))
      nodeCount += nodeCounts[Int(reference)]
      guard nodeCount <= mostNodes else {
        throw .beyondLimit("more than \(mostNodes) values when shared ones are unfolded")
      }
      unfolded += unfoldedSizes[Int(reference)]
      guard unfolded <= mostUnfolded else {
        throw .beyondLimit(
          "more than \(mostUnfolded) bytes of text and data when shared ones are unfolded"
        )
      }
    }
    nodeCounts[index] = nodeCount
    unfoldedSizes[index] = unfolded
    return values
  }

  private func offset(of index: Int) throws(PropertyListError) -> Int {
    let place = tableOffset + index * offsetSize
    let offset = try bytes.number(at: place, size: offsetSize)
    guard offset >= 8, offset < UInt64(tableOffset) else {
      throw .malformed(offset: place, reason: "object \(index) lies outside the list")
    }
    return Int(offset)
  }
}
