import AgeEncryption
import Crypto
import JSONText
import TextCodecs

/// How the files of an encrypted package lie on the disk: under which names, and for whom.
///
/// Names are made of the plain ones with a key that lies in the package, encrypted as well, so that a
/// folder's listing says nothing of entities and contents.
struct PackageSeal: Sendable {
  /// The key of the names, 32 bytes.
  let nameKey: [UInt8]
  let recipients: [AgeRecipient]
  let identities: [AgeIdentity]

  /// A seal of its own for a new package.
  init(for keys: PackageKeys) {
    nameKey = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    recipients = keys.recipients
    identities = keys.identities
  }

  /// The place of a file: `data/0f4a….age` for `data/Hero-00001.jsonl`.
  func place(of name: String) -> String {
    if PackagePath.namedAsTheyAre.contains(name) { return name + PackagePath.sealedEnding }
    let folder = name.prefix { $0 != "/" }
    let code = HMAC<SHA256>.authenticationCode(
      for: Array(name.utf8),
      using: SymmetricKey(data: nameKey)
    )
    let hidden = code.prefix(16).hexadecimal + PackagePath.sealedEnding
    return folder == "media" ? "media/\(hidden.prefix(2))/\(hidden)" : "\(folder)/\(hidden)"
  }
}

extension PackageSeal {
  /// What a writer and a reader of the package have to know: `sealing.json`.
  var json: JSONValue {
    [
      "names": .string(nameKey.hexadecimal),
      "recipients": .array(recipients.map { .string($0.description) }),
    ]
  }

  /// Reads it back; `nil` for one that is not whole.
  init?(_ json: JSONValue, identities: [AgeIdentity]) {
    guard let key = json["names"]?.text.flatMap({ Hexadecimal.bytes($0.utf8, .eitherCase) }),
      key.count == 32,
      let list = json["recipients"]?.array
    else { return nil }
    var recipients: [AgeRecipient] = []
    for element in list {
      guard let text = element.text,
        let recipient = try? AgeRecipient(parsing: text, place: PackagePath.sealing)
      else { return nil }
      recipients.append(recipient)
    }
    nameKey = key
    self.recipients = recipients
    self.identities = identities
  }
}
