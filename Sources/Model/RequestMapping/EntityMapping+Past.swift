import JSONText
import Profiles
import Records
import RequestBodies

// The content at the destination, held against the content there before a run changed or removed it.

extension EntityMapping {
  /// Whether a record is the very same as one that was removed, in all that both readings of it show.
  package func isReturned(_ remote: [UInt8], as before: [UInt8]) -> Bool {
    agreeing(remote, before, among: program.api.body.map(\.name)) != nil
  }

  /// Whether a record is that which was removed, whatever else it says, by what a person knows it by.
  package func isNamedAs(_ remote: [UInt8], _ before: [UInt8]) -> Bool {
    guard let key = naturalKey(ofRemote: remote) else { return false }
    return key == naturalKey(ofRemote: before)
  }

  /// The members that two readings of a record show, where they agree in all of them; `nil` where
  /// they do not, and where they show none together.
  ///
  /// Nor do they agree where what is there has a value that was not there then: another device
  /// filled that in. What it lacks says nothing, as a list may leave that out.
  private func agreeing(
    _ remote: [UInt8],
    _ before: [UInt8],
    among names: [String]
  ) -> Set<String>? {
    guard let there = object(remote), let then = object(before) else { return nil }
    let links = program.fileLinks
    let compared = names.filter { name in
      there[name] != nil && !links.contains(name) && program.api.compare[name] != .ignored
    }
    let shown = compared.filter { then[$0] != nil }
    let isFilledIn = compared.contains { name in
      then[name] == nil && !program.api.agree(there[name] ?? .null, .null, of: name)
    }
    guard !shown.isEmpty, !isFilledIn,
      program.contentDigest(of: shown, in: there) == program.contentDigest(of: shown, in: then)
    else { return nil }
    return Set(shown)
  }
}
