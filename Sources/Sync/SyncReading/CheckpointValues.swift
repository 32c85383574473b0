package import Checkpoint
package import ExportPackage
package import LongTexts

/// Values of records as the checkpoint keeps them: with stand-ins for long texts, whose content it keeps beside
/// them, and all of it sealed where the package is.
package struct CheckpointValues: Sendable {
  let checkpoint: CheckpointFile
  /// The package in whose way all is kept; `nil` for one that is gone.
  let package: PackageReader?
  let texts: LongTexts

  /// A value as the checkpoint keeps it; its long texts are kept before this returns.
  package func kept(_ value: [UInt8]) throws(KeepingFault) -> [UInt8] {
    var named: [KeptText] = []
    for text in LongText.named(in: value) { named.append(try keep(text)) }
    return KeptValue(sealed(value), naming: named).column
  }

  /// The value that ``kept(_:)`` was given.
  package func opened(_ kept: [UInt8]) throws(PackageError) -> [UInt8] {
    let value = KeptValue(column: kept)
    for text in value.texts {
      let content = KeptContent(text: text, checkpoint: checkpoint, package: package)
      texts.note(text.text, keptIn: content, size: text.size)
    }
    guard let package else { return value.value }
    return try package.opened(value.value)
  }

  private func keep(_ text: LongText) throws(KeepingFault) -> KeptText {
    let content: LongBody
    do throws(LongTextFault) { content = try texts.content(of: text) } catch { throw .text(error) }
    let kept = KeptText(text, size: Int(content.size))
    do throws(CheckpointError) {
      guard try !checkpoint.has(kept) else { return kept }
      let reader = content.reader()
      try checkpoint.keep(kept) { try reader.next().map(sealed) }
      return kept
    } catch {
      throw .checkpoint(error)
    }
  }

  private func sealed(_ value: [UInt8]) -> [UInt8] { package.map { $0.kept(value) } ?? value }
}

/// Why a value was not kept.
package enum KeepingFault: Error, Hashable, Sendable, CustomStringConvertible {
  case text(LongTextFault)
  case checkpoint(CheckpointError)

  package var description: String {
    switch self {
    case .text(let fault): fault.description
    case .checkpoint(let error): error.description
    }
  }
}

/// The content of a long text that the checkpoint keeps.
private struct KeptContent: LongTextPieces {
  let text: KeptText
  let checkpoint: CheckpointFile
  let package: PackageReader?

  func piece(_ number: Int) throws(LongTextFault) -> [UInt8]? {
    let piece: [UInt8]?
    do throws(CheckpointError) { piece = try checkpoint.piece(number, of: text) } catch {
      throw .unreadable(text.text, reason: error.description)
    }
    guard let piece else {
      throw .unreadable(text.text, reason: "\(checkpoint.path) does not have all of it")
    }
    do throws(PackageError) { return try package?.opened(piece) ?? piece } catch {
      throw .unreadable(text.text, reason: error.description)
    }
  }
}
