import Files
import Foundation
import Testing

/// Waiting for the disk, where there is a stronger way to do so and a plain one.
struct FlushTests {
  /// What the two calls are to answer, and how often each was asked.
  private final class Calls {
    private(set) var plainCount = 0

    func flush(strong: Int32, plain: Int32 = 0) -> Int32? {
      DiskFlush.run(
        strong: { (strong == 0 ? 0 : -1, strong) },
        plain: {
          plainCount += 1
          return (plain == 0 ? 0 : -1, plain)
        }
      )
    }
  }

  @Test func `a full sync is not repeated by a plain one`() {
    let calls = Calls()
    #expect(calls.flush(strong: 0) == nil)
    #expect(calls.plainCount == 0)
  }

  @Test(arguments: [EIO, ENOSPC, EDQUOT, EROFS, ENXIO])
  func `a failed full sync is not replaced by the plain one`(number: Int32) {
    let calls = Calls()
    #expect(calls.flush(strong: number) == number)
    #expect(calls.plainCount == 0)
  }

  @Test(arguments: [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY])
  func `if the file system has no full sync, the plain one counts`(number: Int32) {
    let calls = Calls()
    #expect(calls.flush(strong: number) == nil)
    #expect(calls.flush(strong: number, plain: EIO) == EIO)
    #expect(calls.plainCount == 2)
  }
}
