package import JSONText
import TextCodecs

/// Names of their own for columns or members of which several may be one text in different bytes, or
/// have no name.
///
/// The first of them stays; each of the others is percent-encoded, and ends in as many `_` as make it
/// a name that no other has. A column without a name is called by its place, such as `column3`.
package struct DistinctNames {
  /// What each is called, in the order they were given.
  package let all: [String]
  /// What those are called that do not stay, by what they were.
  package let renamed: [ExactName: String]

  /// Takes names whose bytes differ.
  package init(_ names: [String]) {
    var taken = Set(names)
    guard taken.count < names.count || taken.contains("") else {
      all = names
      renamed = [:]
      return
    }
    var kept: Set<String> = []
    var others: [ExactName: String] = [:]
    all = names.enumerated().map { place, name in
      guard name.isEmpty || !kept.insert(name).inserted else { return name }
      var free = name.isEmpty ? Self.unnamed(place) : PercentCoding.encoded(name)
      while !taken.insert(free).inserted { free += "_" }
      others[ExactName(text: name)] = free
      return free
    }
    renamed = others
  }

  /// What a column without a name is called, by its place among all.
  package static func unnamed(_ place: Int) -> String { "column\(place + 1)" }

  /// What the column or member is called that has this name.
  package func name(of name: String) -> String {
    renamed.isEmpty ? name : renamed[ExactName(text: name)] ?? name
  }
}
