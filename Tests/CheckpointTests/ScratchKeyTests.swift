import Checkpoint
import Records
import Testing
import ScratchFiles

/// Keys in a scratch file, whichever characters they have.
struct ScratchKeyTests {
  private static let entity: EntityName = "Note"

  @Test func `keys that are equal up to a zero character are two`() throws {
    let bench = try CheckpointBench()
    let keys = try ScratchKeys(path: bench.folder + "/keys.sqlite")
    #expect(try keys.add(["a\u{0}b", "a\u{0}c", "a"], of: Self.entity).isEmpty)
    #expect(try keys.add(["a\u{0}c"], of: Self.entity) == ["a\u{0}c"])
  }

  @Test func `a look-up does not match the part of a key before its zero character`() throws {
    let bench = try CheckpointBench()
    let keys = try ScratchKeys(path: bench.folder + "/keys.sqlite")
    _ = try keys.add(["a\u{0}b"], of: Self.entity)
    #expect(try keys.contains("a\u{0}b", of: Self.entity))
    #expect(try !keys.contains("a", of: Self.entity))
    #expect(try !keys.contains("a\u{0}c", of: Self.entity))
    #expect(try !keys.contains("", of: Self.entity))
  }

  @Test func `an empty key is a valid key`() throws {
    let bench = try CheckpointBench()
    let keys = try ScratchKeys(path: bench.folder + "/keys.sqlite")
    #expect(try keys.add(["", "a"], of: Self.entity).isEmpty)
    #expect(try keys.add(["", "b"], of: Self.entity) == [""])
    #expect(try keys.contains("", of: Self.entity))
  }
}
