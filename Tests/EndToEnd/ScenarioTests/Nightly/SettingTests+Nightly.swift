import Foundation
import JSONText
import TestSupport
import Testing

extension SettingTests {
  @Test func `config shows no secret`() async throws {
    try await withTemporaryFolder { folder in
      for words in [["config"], ["config", "upload"], ["config", "--format", "ndjson"]] {
        let answer = try await ferry(
          words,
          in: folder,
          ["FERRY_CREDENTIAL": "token=hunter2,other=command:print hunter2"]
        ).exits(0)
        let said = answer.standardOutput + answer.standardError
        #expect(said.contains("(not shown)") && said.contains("command:…"))
        #expect(!said.contains("hunter2"))
      }
    }
  }

  @Test(arguments: [
    ["rate", "abc"], ["rate", "-1"], ["timeout", "soon"], ["batch-size", "0"],
    ["retries", "1.5"], ["on-conflict", "me"],
  ])
  func `config refuses a value that every verb would refuse`(words: [String]) async throws {
    try await withTemporaryFolder { folder in
      let (key, value) = (words[0], words[1])
      let variable = "FERRY_" + key.uppercased().replacing("-", with: "_")
      let file = "\(folder)/ferry.yaml"
      try write("upload:\n  \(key): \(value)\n", file)
      let answers = [
        (try await ferry(["config"], in: folder, [variable: value]), "\(variable): "),
        (try await ferry(["config", "upload"], in: folder, [variable: value]), "\(variable): "),
        (try await ferry(["config", "--config", file], in: folder), "\(file):2: "),
        (
          try await ferry(["config", "upload", "--\(key)", value], in: folder),
          "the command line: "
        ),
      ]
      for (answer, place) in answers {
        #expect(answer.status == 64, "\(answer)")
        #expect(answer.standardError.contains(place), "\(answer)")
        #expect(answer.standardError.contains("--\(key)"))
      }
    }
  }

  @Test func `config reports all impossible values at once`() async throws {
    try await withTemporaryFolder { folder in
      let answer = try await ferry(
        ["config"],
        in: folder,
        ["FERRY_RATE": "abc", "FERRY_TIMEOUT": "soon", "FERRY_CONCURRENCY": "3"]
      ).exits(64)
      #expect(answer.standardError.contains("FERRY_RATE: "))
      #expect(answer.standardError.contains("FERRY_TIMEOUT: "))
      #expect(!answer.standardError.contains("FERRY_CONCURRENCY"))
    }
  }

  @Test func `all unknown keys are refused at once, with the likely ones`() async throws {
    try await withTemporaryFolder { folder in
      try write("concurency: 3\nstatus:\n  quite: true\n", "\(folder)/ferry.yaml")
      let answer = try await ferry(["status", "--config", "\(folder)/ferry.yaml"], in: folder)
      #expect(answer.status == 64)
      #expect(answer.standardError.contains("ferry.yaml:1: “concurency”"))
      #expect(answer.standardError.contains("did you mean concurrency?"))
      #expect(answer.standardError.contains("ferry.yaml:3: “quite”"))
      #expect(answer.standardError.contains("did you mean quiet?"))
    }
  }

  @Test(arguments: [
    ["--rate", "nan"], ["--rate", "inf"], ["--rate", "1e-300"], ["--rate", "1e300"],
    ["--retries", "9223372036854775807"], ["--concurrency", "9223372036854775807"],
    ["--batch-size", "9223372036854775807"],
  ])
  func `an impossible number is refused from every origin`(words: [String]) async throws {
    try await withTemporaryFolder { folder in
      let key = words[0].dropFirst(2)
      let file = "\(folder)/ferry.yaml"
      try write("\(key): \(words[1])\n", file)
      let variable = "FERRY_" + key.uppercased().replacing("-", with: "_")
      let line = ["plan", "\(folder)/no.ferry"]
      let answers = [
        try await ferry(line + words, in: folder),
        try await ferry(line, in: folder, [variable: words[1]]),
        try await ferry(line + ["--config", file], in: folder),
      ]
      for answer in answers {
        #expect(answer.status == 64, "\(answer)")
        #expect(answer.standardError.contains("--\(key) takes a number from"))
      }
    }
  }

  @Test func `an impossible value is reported with its origin`() async throws {
    try await withTemporaryFolder { folder in
      let answer = try await ferry(
        ["plan", "x.ferry"],
        in: folder,
        ["FERRY_RATE": "fast"]
      ).exits(64)
      #expect(answer.standardError.contains("--rate comes from FERRY_RATE"))
    }
  }

  @Test(arguments: [(0o666, "everybody may write it"), (0o664, "its group may write it")])
  func `a found settings file that other users may write is ignored unless it is named`(
    rights: Int,
    reason: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let file = "\(folder)/ferry.yaml"
      try write("quiet: false\n", file)
      try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: file)
      let words = ["config", "export", "--profile", "\(folder)/profile.yaml"]
      let refused = try await ferry(words, in: folder).exits(64)
      #expect(refused.standardError.contains(reason))
      try await ferry(words + ["--config", file], in: folder).exits(0)
    }
  }

  @Test func `a found settings file must not start a program`() async throws {
    try await withTemporaryFolder { folder in
      let file = "\(folder)/ferry.yaml"
      try write("quiet: false\nupload:\n  credential: token=command:touch \(folder)/ran\n", file)
      let words = ["config", "upload", "--profile", "\(folder)/profile.yaml"]
      let refused = try await ferry(words, in: folder).exits(64)
      #expect(refused.standardError.contains("\(file):3: it starts a program"))
      try await ferry(words + ["--config", file], in: folder).exits(0)
    }
  }
}
