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

  @Test(arguments: [("tittle", "title"), ("phto", "photo"), ("price2x", "price")])
  func `a slip is a word that is mistyped`(word: String, meant: String) {
    #expect(NearestWord.slip(word, among: ["title", "photo", "price"]) == meant)
  }

  @Test(arguments: [
    ("photo", "photoURL"), ("x", "y"), ("tags", "tag"), ("tag", "tags"), ("body1", "body2"),
    ("body", "body2"),
    ("line1Text", "line2Text"),
  ])
  func `a name that may be one of its own is no slip`(word: String, other: String) {
    #expect(NearestWord.slip(word, among: [other]) == nil)
  }
}
