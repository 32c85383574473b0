import JSONText

/// The members of a record as the hot path wants them: their names side by side, ready to be copied,
/// and nothing that counts references.
final class MemberList {
  /// One member.
  struct Member {
    let name: UnsafeRawBufferPointer
    /// The name as ``JSONText/JSONWriter/name(ready:)`` takes it.
    let readyName: UnsafeRawBufferPointer
    /// `nil` for what is no single value.
    let leaf: RecordProgram.Leaf?
  }

  /// Members that follow each other.
  enum Run {
    /// Single values of kinds that ``UsualMembers`` writes.
    case usual(UsualMembers)
    /// The member with this number.
    case other(Int)
  }

  let members: UnsafeMutableBufferPointer<Member>
  let runs: UnsafeMutableBufferPointer<Run>
  private let names: UnsafeMutableRawBufferPointer

  init(_ steps: [RecordProgram.Step], oneByOne: Bool) {
    let texts = steps.flatMap { [$0.name, JSONWriter.ready($0.name)] }
    // Names are copied sixteen bytes at a time, beyond the end of the last.
    let size = texts.reduce(0) { $0 + $1.count }
    names = .allocate(byteCount: size + UsualMembers.nameStep, alignment: 1)
    names.initializeMemory(as: UInt8.self, repeating: 0)
    members = .allocate(capacity: steps.count)
    var places: [UnsafeRawBufferPointer] = []
    var start = 0
    for text in texts {
      let place = UnsafeMutableRawBufferPointer(rebasing: names[start..<start + text.count])
      place.copyBytes(from: text)
      places.append(UnsafeRawBufferPointer(place))
      start += text.count
    }
    for (index, step) in steps.enumerated() {
      var leaf: RecordProgram.Leaf?
      if case .leaf(let found) = step.content { leaf = found }
      members.initializeElement(
        at: index,
        to: Member(name: places[2 * index], readyName: places[2 * index + 1], leaf: leaf)
      )
    }
    let found = oneByOne ? members.indices.map { .other($0) } : Self.runs(of: members)
    runs = .allocate(capacity: found.count)
    _ = runs.initialize(from: found)
  }

  private static func runs(of members: UnsafeMutableBufferPointer<Member>) -> [Run] {
    var runs: [Run] = []
    var start = 0
    while start < members.count {
      var end = start
      while end < members.count, let leaf = members[end].leaf, UsualMembers.canWrite(leaf.form) {
        end += 1
      }
      if end > start {
        runs.append(.usual(UsualMembers(members, start..<end)))
        start = end
      } else {
        runs.append(.other(start))
        start += 1
      }
    }
    return runs
  }

  deinit {
    for run in runs {
      if case .usual(let usual) = run { usual.free() }
    }
    runs.deallocate()
    members.deallocate()
    names.deallocate()
  }
}
