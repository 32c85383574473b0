import Foundation
import TestSupport
import Testing

/// The completions, asked of the shells themselves: what comes when a person types and presses the key.
@Suite(.timeLimit(.minutes(2))) struct CompletionTests {
  /// Whether a shell is installed.
  private static func has(_ shell: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
    }
  }

  /// What a shell says to a script, with the program on its path and its completions in the folder.
  private func ask(_ shell: [String], file: String, _ script: String) async throws -> String {
    let program = try FerryProgram()
    return try await withTemporaryFolder { folder in
      let words = ["--generate-completion-script", shell[0]]
      let made = try await program.run(words, state: "\(folder)/state").exits(0)
      try made.standardOutput.save(to: "\(folder)/\(file)")
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = shell + ["-c", script]
      process.currentDirectoryURL = URL(filePath: folder)
      let place = URL(filePath: program.path).deletingLastPathComponent().path
      process.environment = ProcessInfo.processInfo.environment.merging(
        [
          "PATH": "\(place):\(ProcessInfo.processInfo.environment["PATH"] ?? "")", "HOME": folder,
          "TERM": "dumb",
        ],
        uniquingKeysWith: { $1 }
      )
      process.standardInput = FileHandle.nullDevice
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let said = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: said, as: UTF8.self)
    }
  }

  @Test(
    .enabled(if: has("bash"), "bash is not installed"),
    arguments: [
      (["ferry", "pl"], "plan"), (["ferry", "checkpoint", "re"], "repair"),
      (["ferry", "upload", "--conc"], "--concurrency"),
      (["ferry", "migrate", "--on-conflict", "new"], "newest"),
    ]
  )
  func `bash completes verbs, verbs of verbs, flags and their values`(
    words: [String],
    found: String
  )
    async throws
  {
    let line = words.joined(separator: " ")
    let said = try await ask(
      ["bash"],
      file: "ferry.bash",
      """
      source ./ferry.bash
      COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); COMP_LINE='\(line)'
      COMP_POINT=\(line.utf8.count); COMP_TYPE=9
      _ferry ferry \(words[words.count - 1]) \(words[words.count - 2])
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    )
    #expect(said == found + "\n")
  }

  @Test(
    .enabled(if: has("fish"), "fish is not installed"),
    arguments: [
      ("ferry pl", "plan\tShow what an upload would do"),
      ("ferry checkpoint re", "repair\tRepair a damaged checkpoint"),
      ("ferry upload --conc", "--concurrency\tThe most requests in flight"),
      ("ferry migrate --on-conflict new", "newest\tWho wins"),
    ]
  )
  func `fish completes verbs, verbs of verbs, flags and their values`(line: String, found: String)
    async throws
  {
    let said = try await ask(
      ["fish", "--no-config"],
      file: "ferry.fish",
      "source ./ferry.fish; complete -C '\(line)'"
    )
    #expect(said.hasPrefix(found), "\(said)")
    #expect(said.split(separator: "\n").count == 1, "\(said)")
  }

  @Test(
    .enabled(if: has("zsh"), "zsh is not installed"),
    arguments: [
      ("ferry pla", "ferry plan "), ("ferry checkpoint rep", "ferry checkpoint repair "),
      ("ferry upload --conc", "ferry upload --concurrency "),
    ]
  )
  func `zsh completes verbs, verbs of verbs and flags at a terminal`(line: String, found: String)
    async throws
  {
    // An interactive shell at a terminal of its own; what is on its line is printed by a key.
    let said = try await ask(
      ["zsh", "-f"],
      file: "_ferry",
      """
      zmodload zsh/zpty
      zpty z 'zsh -f -i'
      zpty -w z "fpath=($PWD \\$fpath); autoload -U compinit; compinit -u -D; unset zle_bracketed_paste"
      zpty -w z 'show() { print -r -- "LINE:$BUFFER:END" >line.txt }; zle -N show; bindkey "^G" show'
      zpty -w z 'print READY:$_comps[ferry]'
      zpty -r -m z said '*READY:_ferry*'
      zpty -n -w z $'\(line)\\t\\a'
      repeat 100 { [[ -s line.txt ]] && break; zpty -r -t z said; sleep 0.1 }
      cat line.txt
      zpty -d z
      """
    )
    #expect(said.contains("LINE:\(found):END"), "\(said)")
  }
}
