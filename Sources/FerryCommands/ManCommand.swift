import ArgumentParser
import CommandGuide
import Foundation
import JSONText
import Migration
import Reports

/// `ferry man`: the man page.
struct ManCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "man",
    abstract: "Write the man page, made from the same words as the help.",
    discussion: """
      ferry man > ferry.1
      ferry man | man -l -
      """
  )

  func run() throws {
    do throws(GuideError) {
      let page = ManualPage(try CommandLineReader.catalogue(), version: FerryVersion.text)
      ResultOutput.put(page.text)
    } catch {
      throw ValidationError("\(error)")
    }
    throw CommandExit(status: .done)
  }
}

/// `ferry completions`: what a shell needs to complete verbs, flags and values.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Write the completions for bash, zsh or fish.",
    discussion: """
      ferry completions bash > ~/.local/share/bash-completion/completions/ferry
      ferry completions zsh > ~/.zfunc/_ferry
      ferry completions fish > ~/.config/fish/completions/ferry.fish
      """
  )

  @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
  var shell: String

  func run() throws {
    guard let shell = CompletionShell(rawValue: shell) else {
      let question = NearestWord.question(shell, among: CompletionShell.allCases.map(\.rawValue))
      throw ValidationError(
        "completions are made for bash, zsh and fish, not “\(shell)”\(question)"
      )
    }
    let script = FerryCommand.completionScript(for: shell)
    ResultOutput.put(script + "\n")
    throw CommandExit(status: .done)
  }
}
