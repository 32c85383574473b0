import JSONText
import Testing

/// An array that is read one element at a time.
struct JSONElementTests {
  /// What came of reading: the elements in their canonical spelling, or why they do not exist.
  private enum Outcome: Equatable {
    case elements([String])
    case error(JSONError)
  }

  private func oneAtATime(_ bytes: [UInt8], limits: JSONLimits = .standard) -> Outcome {
    outcome { elements in
      let document = JSONDocument(limits: limits)
      let isRead = try bytes.withUnsafeBytes { bytes in
        try document.parseElements(bytes) { element in
          elements.append(String(decoding: document.canonicalBytes(of: element), as: UTF8.self))
          return true
        }
      }
      #expect(isRead)
    }
  }

  private func whole(_ bytes: [UInt8], limits: JSONLimits = .standard) -> Outcome {
    outcome { elements in
      let document = JSONDocument(limits: limits)
      try document.parse(copying: bytes)
      document.forEachElement(of: document.root) {
        elements.append(String(decoding: document.canonicalBytes(of: $0), as: UTF8.self))
      }
    }
  }

  private func outcome(_ read: (inout [String]) throws -> Void) -> Outcome {
    var elements: [String] = []
    do {
      try read(&elements)
      return .elements(elements)
    } catch let error as JSONError {
      return .error(error)
    } catch {
      Issue.record("\(error)")
      return .elements([])
    }
  }

  private static let sample =
    #" [ 1, "a\nb", {"x":[true,{"y":null,"\u0079z":2}],"é":-1.5e3} ,[ ], [[[]],"😀"],{},false ] "#

  @Test(arguments: ["[]", " [ ] ", "[0]", "\n[1,\n2]\n", JSONElementTests.sample])
  func `an array read in pieces has the same elements as one read whole`(text: String) {
    let bytes = Array(text.utf8)
    #expect(oneAtATime(bytes) == whole(bytes))
    if case .error(let error) = oneAtATime(bytes) { Issue.record("\(error)") }
  }

  @Test func `an array that is cut or changed at any byte is reported like one read whole`() {
    let sample = Array(Self.sample.utf8)
    for place in 2...sample.count {
      let cut = Array(sample[..<place])
      #expect(oneAtATime(cut) == whole(cut), "cut off at \(place)")
      for byte in Array("[]{},:\" 0-e\\tx\n".utf8) + [0x00, 0x80, 0xFF] where place < sample.count {
        var changed = sample
        changed[place] = byte
        #expect(oneAtATime(changed) == whole(changed), "\(byte) at \(place)")
      }
    }
  }

  @Test func `the array's own level counts for the depth limit`() {
    let bytes = Array("[[[1]]]".utf8)
    for depth in 1...4 {
      let limits = JSONLimits(maximumDepth: depth)
      #expect(oneAtATime(bytes, limits: limits) == whole(bytes, limits: limits), "\(depth)")
    }
  }

  @Test func `a reader that stops gets no further elements`() throws {
    let document = JSONDocument()
    var count = 0
    let isRead = try Array("[1,2,3 and what is not JSON".utf8).withUnsafeBytes { bytes in
      try document.parseElements(bytes) { _ in
        count += 1
        return count < 2
      }
    }
    #expect(!isRead)
    #expect(count == 2)
  }

  @Test(arguments: ["{}", "1", "", " "]) func `a value that is not an array is refused`(
    text: String
  ) {
    guard case .error = oneAtATime(Array(text.utf8)) else {
      Issue.record("\(text) was read as an array")
      return
    }
  }
}
