/// Which secret is meant and where it lies, as a person writes it: `password=file:token.txt`.
package struct CredentialReference: Hashable, Sendable {
  /// The name that the profile knows the secret by.
  package let name: String
  package let place: Place

  /// Where a secret lies.
  package enum Place: Hashable, Sendable {
    /// The content of a private file.
    case file(path: String)
    /// The value of an environment variable.
    case environment(variable: String)
    /// What a command prints.
    case command(String)
    /// What a person types at the terminal.
    case ask
  }

  package init(name: String, place: Place) {
    self.name = name
    self.place = place
  }

  /// Reads `NAME=file:PATH`, `NAME=env:VAR`, `NAME=command:CMD` or `NAME=ask`.
  ///
  /// A secret itself is never taken this way: arguments can be read by every user of the machine.
  /// The refusal therefore repeats nothing that was after the equals sign.
  package init(parsing text: String) throws(DestinationError) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, Self.isName(halves[0]) else {
      throw .misconfigured(
        reason: "a credential is given without a name",
        cure: "write NAME=file:PATH, NAME=env:VAR, NAME=command:CMD or NAME=ask"
      )
    }
    let name = String(halves[0])
    if halves[1] == "ask" {
      self.init(name: name, place: .ask)
      return
    }
    let parts = halves[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, let place = Place(parts[0], String(parts[1])) else {
      throw .misconfigured(
        reason: "the place of the credential “\(name)” is not understood",
        cure: "write \(name)=file:PATH, \(name)=env:VAR, \(name)=command:CMD or \(name)=ask"
      )
    }
    self.init(name: name, place: place)
  }

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}

extension CredentialReference.Place {
  fileprivate init?(_ kind: Substring, _ rest: String) {
    switch kind {
    case "file": self = .file(path: rest)
    case "env": self = .environment(variable: rest)
    case "command": self = .command(rest)
    default: return nil
    }
  }
}
