import AgeEncryption
import Crypto
import JSONText

/// How the files of an encrypted package lie on the disk: under which names, and for whom.
///
/// Names are made of the plain ones with a key that lies in the package, encrypted as well, so that a
/// folder's listing tells nothing of entities and contents.
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
    let hidden = Array(code.prefix(16)).hexadecimal + PackagePath.sealedEnding
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
    guard let key = json["names"]?.text.flatMap({ Array(hexadecimal: $0) }), key.count == 32,
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

extension [UInt8] {
  fileprivate var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }

  fileprivate init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
