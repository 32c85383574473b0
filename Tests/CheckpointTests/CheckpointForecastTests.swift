import Checkpoint
import Records
import Testing
import UploadPlanning

/// What a plan says of itself before it is carried out, and what is kept for the next one.
struct CheckpointForecastTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  @Test func `the changed fields of a run's updates are listed record by record`() throws {
    let (file, run) = try bench.openWithRun()
    let other = try file.beginRun("run-2", [])
    let changes = [
      RecordChange(record: .story(1), members: ["title"]),
      RecordChange(record: .hero(2), members: ["name", "age"]),
      RecordChange(record: .hero(1), members: []),
    ]
    try file.add(changes, of: run)
    try file.add([RecordChange(record: .hero(2), members: ["other"])], of: other)
    try file.add([RecordChange](), of: run)
    var found: [RecordChange] = []
    try file.forEachChange(of: run) { found.append($0) }
    #expect(found == [changes[2], changes[1], changes[0]])
    found = []
    try file.forEachChange(of: other) { found.append($0) }
    #expect(found.map(\.members) == [["other"]])
  }

  @Test func `an update is recorded with the fields it changes and what they held`() throws {
    let (file, run) = try bench.openWithRun([.hero(1, action: .update), .hero(2)])
    let before = Array(#"{"name":"Old"}"#.utf8)
    try file.add([RecordChange(record: .hero(1), members: ["name"], before: before)], of: run)
    let recorded = try file.recorded(of: run, after: 0, limit: 10)
    #expect(recorded.map(\.action) == [.update, .create])
    #expect(recorded.map(\.changed) == [["name"], nil])
    #expect(recorded.map(\.planned) == [before, nil])
  }

  @Test func `the operations of one record of a run are found, a page at a time`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2), .on(.story(1), phase: 1)])
    let hero = RecordID.hero(2)
    let one = OperationFilter(entity: hero.entity, key: hero.key)
    #expect(try file.recorded(of: run, one, after: 0, limit: 10).map(\.record) == [hero])
    let heroes = OperationFilter(entity: hero.entity)
    #expect(try file.recorded(of: run, heroes, after: 0, limit: 10).count == 2)
    #expect(try file.recorded(of: run, after: 1, limit: 1).map(\.record) == [hero])
  }

  @Test func `remaining work is weighed by phase, entity and action`() throws {
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2), .hero(3), .hero(4), .hero(5, action: .update), .on(.story(1), phase: 1),
    ])
    _ = try file.beginRun("run-2", [.hero(6)])
    try file.commit([.confirm(1, "s1"), .begin(2), .lose(3, reason: "cut")], now: 1)
    let weights = try file.weights(of: run)
    #expect(
      weights.map { "\($0.phase) \($0.entity.text) \($0.action) \($0.count) \($0.bytes)" } == [
        "0 Hero create 3 21", "0 Hero update 1 7", "1 Story create 1 7",
      ]
    )
  }

  // MARK: - What both sides last agreed on

  private func image(
    _ record: RecordID,
    content: String,
    requestDigest: String,
    sent: [UInt8]? = nil
  ) -> RecordImage {
    RecordImage(
      record: record,
      content: .sample(content),
      requestDigest: .sample(requestDigest),
      base: Array((content + requestDigest).utf8),
      sent: sent
    )
  }

  private func keep(_ images: RecordImage..., in file: CheckpointFile, _ run: RunRecord) throws {
    for image in images {
      var step = PlanStep()
      step.images = [image]
      try file.add(step, to: run, now: 1)
    }
  }

  @Test func `an image is found by its line, and by its fields`() throws {
    let (file, run) = try bench.openWithRun()
    let mine = image(.hero(1), content: "c1", requestDigest: "w1", sent: [7])
    try keep(
      mine,
      image(.hero(2), content: "c1", requestDigest: "w1"),
      image(.story(1), content: "c1", requestDigest: "w1"),
      in: file,
      run
    )
    #expect(try file.image(of: .hero(1), content: .sample("c1")) == mine)
    #expect(
      try file.image(of: .hero(1), requestDigest: .sample("w1"), content: .sample("x")) == mine
    )
    #expect(try file.image(of: .hero(1), content: .sample("w1")) == nil)
    #expect(
      try file.image(of: .hero(1), requestDigest: .sample("c1"), content: .sample("c1")) == nil
    )
    #expect(try file.image(of: .hero(2), content: .sample("c1"))?.sent == nil)
    #expect(try file.image(of: .hero(3), content: .sample("c1")) == nil)
  }

  @Test func `older images of a record stay only if they match its sync state`() throws {
    let (file, run) = try bench.openWithRun([.hero(1, content: "a")])
    try file.commit([.confirm(1, "s1")], now: 1)
    // The first is the line that is known, the second has its fields, the third is neither.
    let images = [
      image(.hero(1), content: "a", requestDigest: "other"),
      image(.hero(1), content: "b", requestDigest: "request a"),
      image(.hero(1), content: "c", requestDigest: "c"),
    ]
    try keep(
      images[0],
      images[1],
      images[2],
      image(.hero(2), content: "d", requestDigest: "d"),
      image(.story(1), content: "e", requestDigest: "e"),
      in: file,
      run
    )
    try keep(image(.hero(1), content: "f", requestDigest: "request a"), in: file, run)
    func kept(_ content: String, _ record: RecordID = .hero(1)) throws -> Bool {
      try file.image(of: record, content: .sample(content)) != nil
    }
    #expect(try ["a", "b", "c", "f"].map { try kept($0) } == [true, true, false, true])
    #expect(try kept("d", .hero(2)))
    #expect(try kept("e", .story(1)))
    let requestDigest = Digest.sample("request a")
    for content in ["b", "f"] {
      let found = try file.image(
        of: .hero(1),
        requestDigest: requestDigest,
        content: .sample(content)
      )
      #expect(found?.content == .sample(content), "of several, that of the line")
    }
  }

  @Test func `a profile counts as agreed once every operation planned with it is carried out`()
    throws
  {
    let file = try bench.open()
    #expect(try file.agreement() == nil && file.plannedAgreement() == nil)
    try file.setAgreement("aaaa", isSettled: false)
    #expect(try file.agreement() == nil && file.plannedAgreement() == "aaaa")
    try file.setAgreement("aaaa", isSettled: true)
    #expect(try file.agreement() == "aaaa" && file.plannedAgreement() == "aaaa")
    try file.setAgreement(nil, isSettled: true)
    #expect(try file.agreement() == nil && file.plannedAgreement() == nil)
  }

  @Test func `a plan step's weight counts operations, adoptions, findings and images`() {
    var step = PlanStep()
    step.operations = [.hero(1), .hero(2)]
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(1),
        serverID: "s",
        version: nil,
        content: .sample("a"),
        requestDigest: .sample("a")
      )
    ]
    step.findings = (1...3).map { _ in Finding(code: "c", severity: .note, cause: "a", cure: "b") }
    step.images = (1...5).map { image(.hero($0), content: "a", requestDigest: "b") }
    #expect(step.weight == 11)
  }
}
