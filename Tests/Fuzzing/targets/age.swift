import AgeEncryption
import Files

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Lies in memory where TMPDIR does.
private let folder: PrivateFolder = {
  do throws(FileError) {
    return try PrivateFolder()
  } catch {
    fatalError("there is no space for the input: \(error)")
  }
}()

private let identity = AgeIdentity()

extension FuzzTarget {
  /// The first byte says what the rest is.
  ///
  /// | first byte modulo 3 | the rest |
  /// |---|---|
  /// | 0 | a file that is encrypted to a recipient, as it is |
  /// | 1 | the lines of recipients and of identities |
  /// | 2 | what is sealed here, and then changed, cut or added to at a place |
  ///
  /// Each may be refused; what is opened has not been touched since it was sealed.
  static let age = FuzzTarget("age") { input, report in
    guard let kind = input.first else { return report.rejectAsForeign() }
    let bytes = Array(input.dropFirst())
    switch kind % 3 {
    case 0: _ = opened(bytes, &report)
    case 1: readKeys(bytes, &report)
    default:
      guard bytes.count >= 6 else { return report.rejectAsForeign() }
      changeSealed(Array(bytes[6...]), bytes[0], Int(bytes[1]), Array(bytes[2..<6]), &report)
    }
  }
}

/// The plain bytes, which are the same at once and by pieces of a file; `nil` for a refusal.
private func opened(_ sealed: [UInt8], _ report: inout FuzzReport) -> [UInt8]? {
  let atOnce: [UInt8]?
  do throws(AgeError) {
    atOnce = try AgeText.opened(sealed, with: [identity])
  } catch {
    report.expectReason(error.description)
    atOnce = nil
  }
  let byPieces = openedByPieces(sealed, &report)
  report.expect(atOnce == byPieces, "a file and its bytes are not opened alike")
  return atOnce
}

private func openedByPieces(_ sealed: [UInt8], _ report: inout FuzzReport) -> [UInt8]? {
  let path = folder.path + "/sealed"
  guard let file = fopen(path, "w") else { fatalError("the input cannot be written") }
  fwrite(sealed, 1, sealed.count, file)
  fclose(file)
  do {
    let content = try AgeContent(try InputFile(path), identities: [identity])
    var plain = [UInt8](repeating: 0, count: Int(content.size))
    let filled = try plain.withUnsafeMutableBytes { try content.read(at: 0, into: $0) }
    report.expect(filled == plain.count, "a file ends before its size")
    return plain
  } catch {
    return nil
  }
}

/// A key that is taken is written as it was read.
private func readKeys(_ bytes: [UInt8], _ report: inout FuzzReport) {
  let lines = Set(bytes.split { $0 == 0x0A || $0 == 0x0D }.map(Array.init))
  do throws(AgeError) {
    for recipient in try AgeRecipient.list(in: bytes, path: "recipients") {
      let text = recipient.description
      report.expect(
        lines.contains(Array(text.utf8)) || lines.contains(Array(text.uppercased().utf8)),
        "a recipient is not written as it was read"
      )
    }
  } catch {
    report.expectReason(error.description)
  }
  do throws(AgeError) {
    for identity in try AgeIdentity.list(in: bytes, path: "identities") {
      let text = Array(identity.secretText.utf8)
      report.expect(lines.contains(text), "an identity is not written as it was read")
    }
  } catch {
    report.expectReason(error.description)
  }
}

/// Seals the seed for as many as `form` says, and opens it, as it is and changed at `place`.
private func changeSealed(
  _ seed: [UInt8],
  _ form: UInt8,
  _ value: Int,
  _ place: [UInt8],
  _ report: inout FuzzReport
) {
  var plain = seed
  // Around the end of a piece, but seldom, as it takes longer.
  if form >= 0xF0, value >= 0xC0, !seed.isEmpty {
    let size = Int(AgeLayout.chunkSize) * (1 + value & 1) + (value >> 1 & 1)
    while plain.count < size { plain += seed }
    plain.removeLast(plain.count - size)
  }
  let others = (0..<Int(form & 3)).map { _ in AgeIdentity().recipient }
  let sealed = AgeText.sealed(plain, for: others + [identity.recipient])
  report.expect(opened(sealed, &report) == plain, "what was sealed is not what is opened")
  let offset = place.reduce(0) { $0 << 8 | Int($1) } % sealed.count
  var changed = sealed
  switch form >> 2 & 3 {
  case 0: changed[offset] ^= UInt8(value)
  case 1: changed.removeLast(min(value, changed.count))
  case 2: changed += seed.prefix(value)
  default: changed.insert(contentsOf: seed.prefix(value), at: offset)
  }
  if let found = opened(changed, &report) {
    report.expect(changed == sealed && found == plain, "what was changed is opened")
  }
}
