import JSONText
import Reporting

/// A report of an eventful run, made by hand.
enum SampleReport {
  static let upload: JSONValue = [
    "type": "upload", "run": "ab12cd-1", "stage": "finished",
    "records": [
      line("Hero", ["created": 3, "rejected": 1]), line("Story", ["created": 7, "unmapped": 2]),
    ],
    "media": [],
    "findings": [
      [
        "code": "upload.rejected", "severity": "error", "entity": "Hero", "record": "hero-7",
        "pointer": "", "cause": "422: the name “Anna Geheim” is taken", "cure": "correct it",
      ],
      [
        "code": "plan.unmapped", "severity": "warning", "entity": "Story", "pointer": "",
        "cause": "the destination has no place for a Story without hero (2 records)",
        "cure": "list it",
      ],
    ],
  ]

  static let validation: JSONValue = [
    "type": "validation", "valid": false, "faults": 3, "quarantine": nullValue,
    "entities": [["entity": "Hero", "records": 4, "faulty": 2]],
    "findings": [
      [
        "code": "schema.minLength", "severity": "error", "entity": "Hero", "record": "hero-1",
        "pointer": "/name", "file": "data/Hero-00001.jsonl", "line": 3,
        "cause": "expected at least 3, found nothing", "found": "“Ge”", "cure": "lengthen it",
      ],
      [
        "code": "reference.dangling", "severity": "error", "entity": "Hero", "record": "hero-2",
        "pointer": "/owner", "file": "data/Hero-00001.jsonl", "line": 4,
        "cause": "it refers to User/secret-id, which is not in the package", "cure": "restore it",
      ],
    ],
  ]

  static let export: JSONValue = [
    "type": "export", "package": "out/p.ferry",
    "digest": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
    "alreadyExisted": false, "source": [],
    "entities": [["entity": "Hero", "records": 4, "rejected": 0, "tallies": [:]]],
    "findings": [],
  ]

  private static let nullValue = JSONValue.null

  static func line(_ entity: String, _ counts: [String: Int64]) -> JSONValue {
    var object: JSONObject = [
      "entity": .string(entity),
      "read": .number(JSONNumber(counts.values.reduce(0, +))),
    ]
    for bucket in [
      "created", "updated", "completed", "deleted", "gone", "unchanged", "duplicate",
      "rejected", "conflicted", "skipped", "unmapped", "unknown", "remaining",
    ] {
      object[bucket] = .number(JSONNumber(counts[bucket] ?? 0))
    }
    return .object(object)
  }

  /// The report, with what it keeps to itself.
  static func report(
    _ stages: [JSONValue] = [export, validation, upload],
    showsValues: Bool = false,
    key: String? = nil,
    status: Int = 3
  ) -> Report {
    let redaction = ReportRedaction(
      showsValues: showsValues,
      key: key.map { Array($0.utf8) },
      folder: "/home/me/app"
    )
    var upload = TimelineStage(stage: "upload", began: 0.5)
    upload.samples = [
      .init(seconds: 0.6, done: 1), .init(seconds: 0.9, done: 6), .init(seconds: 1.4, done: 10),
    ]
    upload.total = 10
    upload.pauses = [0.7]
    return Report(
      tool: "9.9.9",
      command: "upload",
      subject: "out/p.ferry",
      began: "2026-01-31T12:00:00Z",
      seconds: 1.5,
      stages: stages.compactMap { ReportStage(redaction.redacted($0)) },
      timeline: [upload],
      end: ReportEnd(
        status: status,
        name: status == 0 ? "done" : "finished with rejects",
        mayRetry: false,
        next: "ferry verify out/p.ferry"
      )
    )
  }
}
