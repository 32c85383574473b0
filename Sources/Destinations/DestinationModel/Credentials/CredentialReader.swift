import Files
import JSONText

/// Fetches secrets from where their references say they lie, each time it is asked.
///
/// A secret is the text without one line end at its end. Text that is empty, not UTF-8, or holds
/// a control byte is refused: it could carry a second header into a request.
package struct CredentialReader: CredentialSource {
  /// Runs a command and gives what it printed.
  ///
  /// How commands are run is the front door's affair; the string is what the reference held.
  package typealias CommandRunner =
    @Sendable (_ command: String) async throws(DestinationError) -> [UInt8]

  private let references: [String: CredentialReference]
  private let environment: [String: String]
  private let runCommand: CommandRunner?
  private let ask: Asker?

  /// Asks a person for the secret of a name, once for each name.
  package typealias Asker =
    @Sendable (_ name: String) async throws(DestinationError) -> [UInt8]

  /// - Parameters:
  ///   - references: One for each name; a later one replaces an earlier one of the same name.
  ///   - environment: The variables of this process.
  ///   - runCommand: Runs a command, or `nil` where commands are not to be had.
  ///   - ask: Asks a person, or `nil` where there is no terminal.
  package init(
    _ references: [CredentialReference],
    environment: [String: String],
    runCommand: CommandRunner? = nil,
    ask: Asker? = nil
  ) {
    self.references = Dictionary(
      references.map { ($0.name, $0) },
      uniquingKeysWith: { _, later in later }
    )
    self.environment = environment
    self.runCommand = runCommand
    self.ask = ask
  }

  package func credentials(
    named names: [String]
  ) async throws(DestinationError) -> [String: Secret] {
    var secrets: [String: Secret] = [:]
    for name in names {
      guard let reference = references[name] else { throw missing(name, of: names) }
      secrets[name] = try await secret(of: reference)
    }
    return secrets
  }

  package func holds(_ name: String) -> Bool { references[name] != nil }

  package func fault(of name: String) -> DestinationError? {
    guard let reference = references[name] else { return missing(name, of: [name]) }
    do throws(DestinationError) {
      switch reference.place {
      case .file(let path): _ = try CredentialFile.contents(of: path, for: name)
      case .environment(let variable): _ = try value(ofVariable: variable, for: name)
      case .command, .ask: break
      }
      return nil
    } catch {
      return error
    }
  }

  /// Says that a credential is not given, and which one that is given may have been meant for it.
  private func missing(_ name: String, of names: [String]) -> DestinationError {
    let others = references.keys.filter { !names.contains($0) }.sorted()
    guard let meant = NearestWord.to(name, among: others) else { return .missingCredential(name) }
    return .misconfigured(
      reason: "the credential “\(name)” is not given, and the profile names no “\(meant)”",
      cure: "did you mean --credential \(name)=… for “\(meant)”?"
    )
  }

  package func document(named name: String) async throws(DestinationError) -> Secret {
    guard let reference = references[name] else { throw .missingCredential(name) }
    let bytes = try await bytes(of: reference)
    guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
      throw .misconfigured(
        reason: "the credential “\(name)” is empty or not UTF-8",
        cure: "store its text as it was given"
      )
    }
    return Secret(text)
  }

  /// What is stored under a name, byte by byte; `nil` where no reference has the name.
  package func storedBytes(named name: String) async throws(DestinationError) -> [UInt8]? {
    guard let reference = references[name] else { return nil }
    return try await bytes(of: reference)
  }

  package func canReplace(_ name: String) -> Bool {
    if case .file? = references[name]?.place { true } else { false }
  }

  package func replace(_ name: String, with secret: Secret) async throws(DestinationError) {
    guard case .file(let path)? = references[name]?.place else { throw .irreplaceable(name) }
    do throws(FileError) {
      try WholeFile.replace(path, with: Array("\(secret.exposed)\n".utf8))
    } catch {
      throw .misconfigured(
        reason: "the new “\(name)” cannot be written down: \(error)",
        cure: "check that its folder can be written to, and sign in again"
      )
    }
  }

  private func secret(of reference: CredentialReference) async throws(DestinationError) -> Secret {
    try Self.secret(in: try await bytes(of: reference), name: reference.name)
  }

  /// The value of a variable of this process.
  private func value(
    ofVariable variable: String,
    for name: String
  ) throws(DestinationError) -> [UInt8] {
    guard let value = environment[variable] else {
      throw .misconfigured(
        reason: "the environment has no \(variable), where “\(name)” should be",
        cure: variable.contains(",")
          ? "give each credential a --credential of its own; only FERRY_CREDENTIAL takes several"
          : "export \(variable), or name another place with --credential"
      )
    }
    return Array(value.utf8)
  }

  private func bytes(of reference: CredentialReference) async throws(DestinationError) -> [UInt8] {
    switch reference.place {
    case .file(let path): return try CredentialFile.contents(of: path, for: reference.name)
    case .environment(let variable): return try value(ofVariable: variable, for: reference.name)
    case .command(let command):
      guard let runCommand else {
        throw .misconfigured(
          reason:
            "“\(reference.name)” should come from a command, and this program may not run one",
          cure: "give a file or an environment variable"
        )
      }
      return try await runCommand(command)
    case .ask:
      guard let ask else {
        throw .misconfigured(
          reason: "“\(reference.name)” is to be typed, and there is no terminal",
          cure: "give it with --credential \(reference.name)=file:PATH, env:VAR or command:CMD"
        )
      }
      return try await ask(reference.name)
    }
  }

  /// Takes one line end off and refuses what no header could hold.
  private static func secret(
    in bytes: [UInt8],
    name: String
  ) throws(DestinationError) -> Secret {
    var bytes = bytes[...]
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard !bytes.isEmpty else {
      throw .misconfigured(reason: "the credential “\(name)” is empty", cure: "fill it in")
    }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      let text = String(validating: bytes, as: UTF8.self)
    else {
      throw .misconfigured(
        reason:
          "the credential “\(name)” holds a line break or another control character, or is not "
          + "UTF-8",
        cure: "store the bare secret in one line"
      )
    }
    return Secret(text)
  }
}
