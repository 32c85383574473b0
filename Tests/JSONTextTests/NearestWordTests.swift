import JSONText
import Testing

/// Which of several words was meant by one that is not one of them.
struct NearestWordTests {
  @Test(arguments: [
    ("uplaod", "upload"), ("migrat", "migrate"), ("statsu", "status"), ("hist", "history"),
    ("Verify", "verify"),
  ])
  func `a mistyped verb is found`(word: String, meant: String) {
    let verbs = ["upload", "migrate", "status", "history", "verify", "export", "import"]
    #expect(NearestWord.to(word, among: verbs) == meant)
  }

  @Test(arguments: ["x", "", "frobnicate", "e"])
  func `a word without a near match gets no suggestion`(word: String) {
    #expect(NearestWord.to(word, among: ["upload", "export"]) == nil)
  }
}
