import DestinationModel
import Foundation
import JSONText
import Records
import S3Media
import TestSupport
import Testing
import UploadPlanning

/// A bucket whose answers are lost, each one to a request that may change something.
@Suite(
  .serialized,
  .enabled(if: ObjectStore.python != nil, "skipped: FERRY_SWIFT is not set"),
  .timeLimit(.minutes(3))
)
struct BucketLossTests {
  // A small file takes one such request; one of two parts takes one to begin, two, and one to end.
  @Test(arguments: [(1_000, 1), (9 << 20, 4)])
  func `with lost answers each upload step is done once, and the whole file is stored and removed`(
    size: Int,
    steps: Int
  ) async throws {
    try await withMediaPlace(.bucket) { place in
      let bucket = try #require(place.bucket)
      let media = try place.file("a picture", size: size)
      try FileManager.default.createDirectory(
        atPath: "\(place.folder)/proxy",
        withIntermediateDirectories: true
      )
      let proxy = try RealServer.losing(1, before: bucket.origin, in: "\(place.folder)/proxy")
      let behind = try place.anew(proxy.origin)
      for _ in 0..<steps {
        let answer = await place.send(.uploadMedia, media, to: behind)
        #expect(answer.word(1) == "deferred", "\(answer)")
      }
      #expect(try proxy.lostCount() == steps)
      #expect(try bucket.objects().map(\.sha256) == [media.digest.description])
      guard case .stored(let serverID, _) = await place.upload(media) else {
        Issue.record("it is not found there")
        return
      }
      #expect(await place.remove(media, serverID).word == "removed")
      #expect(try place.fileCount() == 0)
      #expect(try bucket.parts().isEmpty)
    }
  }
}
