/// The forms of media files, identified by their first bytes.
package enum MediaForm {
  /// The form's name, or `nil` when the bytes begin like none.
  package static func name(of start: [UInt8]) -> String? {
    let begins = { (text: String, place: Int) in start.dropFirst(place).starts(with: text.utf8) }
    if start.starts(with: [0xFF, 0xD8, 0xFF]) { return "JPEG" }
    if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]) { return "PNG" }
    if begins("GIF8", 0) { return "GIF" }
    if begins("ftyp", 4) { return movieForm(start) }
    if begins("RIFF", 0) { return riffForm(start) }
    if begins("ID3", 0) { return "MP3" }
    // MPEG audio: eleven set bits, then a layer that is not reserved.
    if start.count > 1, start[0] == 0xFF, start[1] & 0xE0 == 0xE0, start[1] & 0x06 != 0 {
      return "MP3"
    }
    if begins("caff", 0) { return "CAF" }
    if begins("fLaC", 0) { return "FLAC" }
    if begins("OggS", 0) { return "Ogg" }
    if begins("FORM", 0), begins("AIF", 8) { return "AIFF" }
    if begins("%PDF-", 0) { return "PDF" }
    return nil
  }

  private static func movieForm(_ start: [UInt8]) -> String {
    switch String(decoding: start.dropFirst(8).prefix(4), as: UTF8.self) {
    case "heic", "heix", "mif1", "msf1", "hevc": "HEIC"
    case "avif": "AVIF"
    case "M4A ", "M4B ": "M4A"
    case "qt  ": "QuickTime"
    default: "MP4"
    }
  }

  private static func riffForm(_ start: [UInt8]) -> String? {
    switch String(decoding: start.dropFirst(8).prefix(4), as: UTF8.self) {
    case "WAVE": "WAV"
    case "WEBP": "WebP"
    default: nil
    }
  }
}
