// stand-ins: Crypto
// rooms: Files AgeEncryption
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
    fatalError("there is no room for the input: \(error)")
  }
}()

private let identity = AgeIdentity()

/// What libFuzzer calls: the first byte says what the rest is.
///
/// | first byte modulo 3 | the rest |
/// |---|---|
/// | 0 | a file that is encrypted to somebody, as it stands |
/// | 1 | the lines of recipients and of identities |
/// | 2 | what is sealed here, and then changed, cut or added to at a place |
///
/// Each may be refused; what is opened has not been touched since it was sealed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return -1 }
  let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  switch start[0] % 3 {
  case 0: _ = opened(bytes)
  case 1: readKeys(bytes)
  default:
    guard bytes.count >= 6 else { return -1 }
    changeSealed(Array(bytes[6...]), bytes[0], Int(bytes[1]), Array(bytes[2..<6]))
  }
  return 0
}

/// The plain bytes, which are the same at once and by pieces of a file; `nil` for a refusal.
private func opened(_ sealed: [UInt8]) -> [UInt8]? {
  let atOnce: [UInt8]?
  do throws(AgeError) {
    atOnce = try AgeText.opened(sealed, with: [identity])
  } catch {
    precondition(!error.description.isEmpty, "a refusal says why")
    atOnce = nil
  }
  let byPieces = openedByPieces(sealed)
  precondition(atOnce == byPieces, "a file and its bytes are not opened alike")
  return atOnce
}

private func openedByPieces(_ sealed: [UInt8]) -> [UInt8]? {
  let path = folder.path + "/sealed"
  guard let file = fopen(path, "w") else { fatalError("the input cannot be written") }
  fwrite(sealed, 1, sealed.count, file)
  fclose(file)
  do {
    let content = try AgeContent(try InputFile(path), identities: [identity])
    var plain = [UInt8](repeating: 0, count: Int(content.size))
    let filled = try plain.withUnsafeMutableBytes { try content.read(at: 0, into: $0) }
    precondition(filled == plain.count, "a file ends before its size")
    return plain
  } catch {
    return nil
  }
}

/// A key that is taken is written as it was read.
private func readKeys(_ bytes: [UInt8]) {
  let lines = Set(bytes.split { $0 == 0x0A || $0 == 0x0D }.map(Array.init))
  do throws(AgeError) {
    for recipient in try AgeRecipient.list(in: bytes, path: "recipients") {
      let text = recipient.description
      precondition(
        lines.contains(Array(text.utf8)) || lines.contains(Array(text.uppercased().utf8)),
        "a recipient is not written as it was read"
      )
    }
  } catch {
    precondition(!error.description.isEmpty, "a refusal says why")
  }
  do throws(AgeError) {
    for identity in try AgeIdentity.list(in: bytes, path: "identities") {
      let text = Array(identity.secretText.utf8)
      precondition(lines.contains(text), "an identity is not written as it was read")
    }
  } catch {
    precondition(!error.description.isEmpty, "a refusal says why")
  }
}

/// Seals the seed for as many as `form` says, and opens it, as it is and changed at `place`.
private func changeSealed(_ seed: [UInt8], _ form: UInt8, _ value: Int, _ place: [UInt8]) {
  var plain = seed
  // Around the end of a piece, but seldom, as it takes longer.
  if form >= 0xF0, value >= 0xC0, !seed.isEmpty {
    let size = Int(AgeLayout.chunkSize) * (1 + value & 1) + (value >> 1 & 1)
    while plain.count < size { plain += seed }
    plain.removeLast(plain.count - size)
  }
  let others = (0..<Int(form & 3)).map { _ in AgeIdentity().recipient }
  let sealed = AgeText.sealed(plain, for: others + [identity.recipient])
  precondition(opened(sealed) == plain, "what was sealed is not what is opened")
  let offset = place.reduce(0) { $0 << 8 | Int($1) } % sealed.count
  var changed = sealed
  switch form >> 2 & 3 {
  case 0: changed[offset] ^= UInt8(value)
  case 1: changed.removeLast(min(value, changed.count))
  case 2: changed += seed.prefix(value)
  default: changed.insert(contentsOf: seed.prefix(value), at: offset)
  }
  if let found = opened(changed) {
    precondition(changed == sealed && found == plain, "what was changed is opened")
  }
}
