import JSONText
import Records

/// What is known of the attributes after some rows.
struct PreferenceSurvey {
  struct Column {
    var kinds: Set<StoreAttribute.Kind> = []
    /// How many rows have a value that is not null.
    var valueCount = 0
    var hasLargeInteger = false

    /// The one kind that holds every value.
    var kind: StoreAttribute.Kind {
      if kinds.count == 1, let kind = kinds.first { return kind }
      if kinds == [.integer64, .double], !hasLargeInteger { return .double }
      return PreferenceValue.anyKind
    }

    /// What is known when the values of both are those of one attribute.
    func joined(with other: Column) -> Column {
      Column(
        kinds: kinds.union(other.kinds),
        valueCount: valueCount + other.valueCount,
        hasLargeInteger: hasLargeInteger || other.hasLargeInteger
      )
    }
  }

  private(set) var columns: [ExactName: Column] = [:]
  private(set) var hasNull = false
  /// The spelling in which each text came first.
  private var firstSpellings: [String: ExactName] = [:]
  /// The texts of which one row has several spellings.
  private var distinguished: Set<String> = []

  /// How many names there are when each counts once, however it is spelled.
  var textCount: Int { firstSpellings.count }

  private var hasSpellings: Bool { textCount < columns.count }

  mutating func add(_ members: [PreferenceMember]) {
    for member in members {
      let name = ExactName(text: member.name)
      var column = columns[name] ?? newColumn(name)
      if let kind = member.value.kind {
        column.kinds.insert(kind)
        column.valueCount += 1
        // JSON has one kind of number, a property list has two.
        if kind == .integer64, !member.value.isSmallInteger { column.hasLargeInteger = true }
      } else {
        hasNull = true
      }
      columns[name] = column
    }
    if hasSpellings { distinguish(members) }
  }

  /// Makes one column of the spellings of each text that no row has in several.
  mutating func joinSpellings() {
    guard hasSpellings else { return }
    columns = Dictionary(
      columns.map { (columnName(of: $0.key), $0.value) },
      uniquingKeysWith: { $0.joined(with: $1) }
    )
  }

  private mutating func newColumn(_ name: ExactName) -> Column {
    if firstSpellings[name.text] == nil { firstSpellings[name.text] = name }
    return Column()
  }

  private mutating func distinguish(_ members: [PreferenceMember]) {
    var seen: Set<String> = []
    for member in members where !seen.insert(member.name).inserted {
      distinguished.insert(member.name)
    }
  }

  private func columnName(of name: ExactName) -> ExactName {
    distinguished.contains(name.text) ? name : firstSpellings[name.text] ?? name
  }
}
