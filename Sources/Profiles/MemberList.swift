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

  let members: UnsafeMutableBufferPointer<Member>
  private let names: UnsafeMutableRawBufferPointer

  init(_ steps: [RecordProgram.Step]) {
    let texts = steps.flatMap { [$0.name, JSONWriter.ready($0.name)] }
    names = .allocate(byteCount: texts.reduce(0) { $0 + $1.count }, alignment: 1)
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
  }

  deinit {
    members.deallocate()
    names.deallocate()
  }
}
