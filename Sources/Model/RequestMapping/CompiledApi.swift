package import LongTexts
package import Profiles
package import RecordMapping
package import Records
import TextCodecs

/// The `api` section made ready: how records become requests, entity by entity.
package struct CompiledApi: Sendable {
  package let api: Api
  /// One program for each entity that is sent, parents before children.
  package let programs: [RequestProgram]
  private let made: MadeIdentity

  /// - Parameters:
  ///   - profile: The profile; without an `api` section there is nothing to compile.
  ///   - references: Which record members name other records, as the export or the package says.
  ///   - account: What `{account}` represents; where it is not known, constants that name it are not sent.
  ///   - texts: Where the long texts lie that records have stand-ins for.
  package init?(
    profile: Profile,
    references: [EntityName: [RecordReference]],
    account: String? = nil,
    texts: LongTexts? = nil
  ) {
    guard let api = profile.api else { return nil }
    self.api = api
    let owner = account ?? api.statedAccount
    let made = MadeIdentity(form: api.clientID, account: api.hasAccounts ? owner : nil)
    self.made = made
    let numbered = api.entities.filter { entity in
      profile.entity(entity.entity).map { entity.isNumbered($0) } ?? false
    }
    programs = api.entities.compactMap { entity in
      profile.entity(entity.entity).map { description in
        RequestProgram(
          api: entity.owned(by: owner),
          profile: description,
          references: references[entity.entity] ?? [],
          numbered: Set(numbered.map(\.entity)),
          compound: Set(api.entities.filter(\.isCompound).map(\.entity)),
          identity: made,
          unmapped: api.unmapped(of: entity, description),
          lostKey: api.lostKey(of: entity, description),
          sendsMedia: api.sendsFiles,
          sendsAssets: api.media?.way == .assets,
          texts: texts
        )
      }
    }
  }

  /// The program of an entity, or `nil` when the destination has no place for it.
  package func program(for entity: EntityName) -> RequestProgram? {
    programs.first { $0.api.entity == entity }
  }

  /// The identity that the client chooses for a record.
  package func clientID(for record: RecordID) -> String { made.text(for: record) }
}

extension EntityApi {
  /// Whether a record's key is the destination's number, where it is a number at all.
  fileprivate func isNumbered(_ profile: EntityProfile) -> Bool {
    guard serverIDForm == .number, let serverID = serverIDs.first,
      case .attribute(let key) = profile.identity
    else { return false }
    let field = profile.fields.first { $0.member == serverID }
    return field.map { $0.source == .attribute(path: [key], reading: .plain) } ?? (serverID == key)
  }
}

/// The identities that the client chooses for records.
///
/// One that is made anew is of the account, the entity and the key: where two users have rows of the same
/// numbers, each has records of its own.
struct MadeIdentity: Sendable {
  let form: Api.ClientID
  /// `nil` where the destination has no accounts, and where nothing says which one it is.
  let account: String?

  func text(for record: RecordID) -> String {
    switch form {
    case .asIs: record.key
    case .lower: record.key.lowercased()
    case .uuid: UUIDText.isUUID(record.key.utf8) ? record.key.lowercased() : uuid5(record)
    case .uuid5: uuid5(record)
    case .digest(.hex, let length): hexadecimal(record, length)
    case .digest(.base36, let length): base36(record, length)
    }
  }

  private func name(of record: RecordID) -> [UInt8] {
    Array((account.map { "\($0)\n" } ?? "").utf8) + Array(record.description.utf8)
  }

  /// The namespace of all such UUIDs.
  private static let namespace: [UInt8] = [
    0x0B, 0x4F, 0x5E, 0x6E, 0x57, 0x7A, 0x4C, 0x1B, 0x9D, 0x0A, 0x2F, 0x60, 0xF3, 0x11, 0xC8, 0x6A,
  ]

  /// The first digits of the SHA-256.
  private func hexadecimal(_ record: RecordID, _ length: Int) -> String {
    String(sha256(record).description.prefix(length))
  }

  /// The last digits of the SHA-256, as a number with the first byte in front, to the base 36.
  private func base36(_ record: RecordID, _ length: Int) -> String {
    var number = sha256(record).bytes
    var digits: [UInt8] = []
    for _ in 0..<length {
      var rest = 0
      for place in number.indices {
        let value = rest << 8 | Int(number[place])
        number[place] = UInt8(value / 36)
        rest = value % 36
      }
      digits.append(UInt8(rest < 10 ? 48 + rest : 87 + rest))
    }
    return String(decoding: digits.reversed(), as: UTF8.self)
  }

  private func sha256(_ record: RecordID) -> Digest {
    Digest(sha256: name(of: record))
  }

  /// RFC 9562, section 5.5.
  private func uuid5(_ record: RecordID) -> String {
    var bytes = Digest.sha1(Self.namespace + name(of: record))
    bytes[6] = bytes[6] & 0x0F | 0x50
    bytes[8] = bytes[8] & 0x3F | 0x80
    guard let text = UUIDText.text(Array(bytes.prefix(16))) else {
      preconditionFailure("a SHA-1 has 20 bytes")
    }
    return text.lowercased()
  }
}
