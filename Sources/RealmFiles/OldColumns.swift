/// Where the data of a property is in formats up to 9.
struct OldColumnLayout {
  /// The column's place among the columns' references; an indexed one has its index behind it.
  let slot: Int
  let form: LeafForm
}

extension ReadPass {
  /// A column of formats up to 9.
  func oldColumn(
    _ layout: OldColumnLayout,
    in columns: ElementList
  ) throws(RealmError) -> any Leaf {
    let reference = try columns.reference(layout.slot)
    if case .values(.timestamp, _) = layout.form {
      return try OldTimestampColumn(elements(at: reference), self)
    }
    if case .values(.any, _) = layout.form {
      return try OldMixedColumn(elements(at: reference), self)
    }
    return try TreeColumn(at: reference, layout.form, self)
  }
}

/// Instants of formats 5 to 9: a tree of seconds with marks for null, and one of nanoseconds.
struct OldTimestampColumn: Leaf {
  private let seconds: TreeColumn
  private let nanoseconds: TreeColumn

  init(_ parts: ElementList, _ pass: ReadPass) throws(RealmError) {
    let whole = LeafForm.values(.int, isOptional: true)
    seconds = try TreeColumn(at: parts.reference(0), whole, pass)
    let part = LeafForm.values(.int, isOptional: false)
    nanoseconds = try TreeColumn(at: parts.reference(1), part, pass)
    guard seconds.count == nanoseconds.count else {
      throw .damaged(
        RealmPlace(offset: parts.node.offset),
        cause: "\(seconds.count) seconds have \(nanoseconds.count) nanoseconds"
      )
    }
  }

  var count: Int { seconds.count }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    guard case .int(let whole) = try seconds.value(at: index),
      case .int(let part) = try nanoseconds.value(at: index)
    else { return .null }
    return try .instant(whole, part)
  }
}

/// Values of any kind in formats up to 9: trees of kinds and data, and of binaries and instants if any.
///
/// The data's bits above the lowest are the value itself, or its place among the others.
struct OldMixedColumn: Leaf {
  private let kinds: TreeColumn
  private let data: TreeColumn
  private let binaries: TreeColumn?
  private let instants: OldTimestampColumn?
  /// Binaries and instants are reached in any order, so each of them is a reading of its own.
  ///
  /// The reading of a row holds them.
  private let others: ReadPass
  private let pass: ReadPass
  private let offset: Int

  init(_ parts: ElementList, _ pass: ReadPass) throws(RealmError) {
    let numbers = LeafForm.values(.int, isOptional: false)
    kinds = try TreeColumn(at: parts.reference(0), numbers, pass)
    data = try TreeColumn(at: parts.reference(1), numbers, pass)
    self.pass = pass
    others = ReadPass(pass.context, holding: { _ in 0 })
    if let reference = parts.optionalReference(2) {
      binaries = try TreeColumn(
        at: reference,
        .values(.data, isOptional: true),
        others,
        inAnyOrderAfter: pass
      )
    } else {
      binaries = nil
    }
    if let reference = parts.optionalReference(3) {
      instants = try OldTimestampColumn(others.elements(at: reference), others)
    } else {
      instants = nil
    }
    offset = parts.node.offset
    guard kinds.count == data.count else {
      throw damaged("\(kinds.count) kinds, \(data.count) data")
    }
  }

  var count: Int { kinds.count }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    guard case .int(let kind) = try kinds.value(at: index),
      case .int(let word) = try data.value(at: index)
    else { throw damaged("a value has no kind") }
    let bits = UInt64(bitPattern: word) >> 1
    switch kind {
    case 0: return .int(Int64(bits))
    case 12: return .int(Int64(bits) + .min)
    case 1: return .bool(bits != 0)
    case 7: return .timestamp(seconds: Int64(bits), nanoseconds: 0)
    case 9: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 10: return .double(Double(bitPattern: bits))
    case 11: return .double(Double(bitPattern: bits | 1 << 63))
    case 4: return try binary(bits)
    case 2: return try text(bits)
    case 8: return try instant(bits)
    case 5:
      throw .unsupported(RealmPlace(offset: offset), cause: "a mixed value is a table")
    case let other: throw damaged("a value is of the unknown kind \(other)")
    }
  }

  private func damaged(_ cause: String) -> RealmError {
    .damaged(RealmPlace(offset: offset), cause: cause)
  }

  private func binary(_ place: UInt64) throws(RealmError) -> RealmValue {
    others.restart()
    guard let binaries, place < UInt64(binaries.count) else {
      throw damaged("a value is binary \(place) of \(binaries?.count ?? 0)")
    }
    let value = try binaries.value(at: Int(place))
    if value == .null { throw damaged("a value is binary \(place), which is null") }
    if case .large(let bytes, _) = value, pass.isLarge(bytes) { return value }
    return try pass.held(value)
  }

  /// A binary without the zero at its end.
  private func text(_ place: UInt64) throws(RealmError) -> RealmValue {
    let value = try binary(place)
    if case .large(var bytes, _) = value {
      bytes.removeLast()
      return .large(bytes, isText: true)
    }
    guard case .data(let bytes) = value else { throw damaged("a text is no binary") }
    return RealmValue(text: bytes.dropLast())
  }

  private func instant(_ place: UInt64) throws(RealmError) -> RealmValue {
    others.restart()
    guard let instants, place < UInt64(instants.count) else {
      throw damaged("a value is instant \(place) of \(instants?.count ?? 0)")
    }
    return try instants.value(at: Int(place))
  }
}

/// Sub-tables, each behind a reference to its columns; 0 is an empty one.
struct RowsLeaf: Leaf {
  let references: [Int64]
  let pass: ReadPass
  let columns: [OldColumnLayout]
  /// Whether the only column is a list's values.
  let isList: Bool

  var count: Int { references.count }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    var rows: [[RealmValue]] = []
    if references[index] != 0 { rows = try self.rows(at: references[index]) }
    return isList ? .list(rows.flatMap(\.self)) : .rows(rows)
  }

  private func rows(at reference: Int64) throws(RealmError) -> [[RealmValue]] {
    let list = try pass.elements(at: reference)
    var leaves: [any Leaf] = []
    for column in columns { leaves.append(try pass.oldColumn(column, in: list)) }
    let rowCount = leaves.first?.count ?? 0
    guard leaves.allSatisfy({ $0.count == rowCount }) else {
      throw .damaged(
        RealmPlace(offset: list.node.offset),
        cause: "a sub-table's columns have different lengths"
      )
    }
    try pass.take(elements: rowCount * leaves.count)
    var rows: [[RealmValue]] = []
    for row in 0..<rowCount {
      var values: [RealmValue] = []
      for leaf in leaves { values.append(try leaf.value(at: row)) }
      rows.append(values)
    }
    return rows
  }
}
