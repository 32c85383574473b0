package import AgeEncryption
package import ArgumentParser
package import ExportPackage
import Files
import Reporting
import RunHistory

/// Whom a package is encrypted to.
package struct SealingOptions: ParsableArguments {
  @Option(
    name: .customLong("encrypt-to"),
    help: ArgumentHelp(
      "Encrypt the package to this recipient of age (age1...), or to those of a file.",
      discussion: "May be given several times; each of them alone can open it, with --identity.",
      valueName: "recipient|file"
    ),
    completion: .file()
  )
  package var encryptTo: [String] = []

  package init() {}

  private static let largestFile = 1 << 20

  package func validate() throws { _ = try recipients() }

  /// The recipients, read from where they are.
  package func recipients() throws -> [AgeRecipient] {
    try encryptTo.flatMap { text in
      do throws(AgeError) { return try Self.recipients(text) } catch {
        throw ValidationError("--encrypt-to: \(error)")
      }
    }
  }

  private static func recipients(_ text: String) throws(AgeError) -> [AgeRecipient] {
    // What looks like a key is never taken for the name of a file.
    let looksLikeKey = ["age1", "age-", "ssh-"].contains { text.lowercased().hasPrefix($0) }
    if looksLikeKey || !InputFile.isPresent(text) {
      do throws(AgeError) {
        return [try AgeRecipient(parsing: text, place: "the recipient")]
      } catch {
        guard !looksLikeKey, case .unusableKey = error else { throw error }
        throw .unusableKey(
          place: text.plainForTerminal,
          reason: "there is no file of this name, and it is not a recipient",
          cure: "write age1…, as age-keygen prints it, or name a file with one a line"
        )
      }
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try InputFile.contents(of: text, limit: largestFile)
    } catch {
      throw .unusableKey(place: text, reason: "\(error)", cure: "check the file")
    }
    return try AgeRecipient.list(in: bytes, path: text)
  }
}

/// What opens encrypted packages.
package struct IdentityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file of identities of age (0600) that opens an encrypted package.",
      discussion: "As age-keygen writes it. May be given several times.",
      valueName: "file"
    ),
    completion: .file()
  )
  package var identity: [String] = []

  package init() {}

  package func validate() throws { _ = try identities() }

  /// The identities, read from their files.
  package func identities() throws -> [AgeIdentity] {
    try identity.flatMap { path in
      let bytes: [UInt8]
      do throws(PrivateFile.Refusal) {
        bytes = try PrivateFile.contents(of: path)
      } catch {
        throw ValidationError("--identity: \(error.reason(path)); \(error.cure(path))")
      }
      do throws(AgeError) { return try AgeIdentity.list(in: bytes, path: path) } catch {
        throw ValidationError("--identity: \(error)")
      }
    }
  }

  /// The flags to type again for another verb about the same package.
  package var words: [String] { identity.flatMap { ["--identity", $0.quotedForShell] } }
}

extension PackageKeys {
  /// What the flags of a command say.
  package init(_ sealing: SealingOptions, _ identity: IdentityOptions) throws {
    self.init(recipients: try sealing.recipients(), identities: try identity.identities())
  }

  /// Refuses a package of which a later step could read nothing.
  ///
  /// - Parameter step: What the command does with the package it has written.
  /// - Throws: A `ValidationError` that says what is missing.
  package func checkReadingBack(to step: String) throws {
    guard encrypts else { return }
    guard !identities.isEmpty else {
      throw ValidationError(
        "--encrypt-to needs --identity here: the package is read again to be \(step)."
      )
    }
    let own = Set(identities.map(\.recipient))
    guard recipients.contains(where: own.contains) else {
      throw ValidationError(
        "--identity opens nothing that is encrypted to these recipients, and the package is read "
          + "again to be \(step): add --encrypt-to with the recipient of an identity that you give "
          + "(age-keygen -y FILE prints it)."
      )
    }
  }
}
