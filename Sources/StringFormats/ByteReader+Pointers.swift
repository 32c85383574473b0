extension ByteReader {
  /// Takes all that is left as a JSON Pointer.
  ///
  /// https://www.rfc-editor.org/rfc/rfc6901#section-3
  mutating func takeJSONPointer() -> Bool {
    guard isAtEnd || next == 0x2F else { return false }
    while !isAtEnd {
      if take(0x7E), next != 0x30, next != 0x31 { return false }
      position += 1
    }
    return true
  }

  /// Takes all that is left as a relative JSON Pointer.
  ///
  /// https://datatracker.ietf.org/doc/html/draft-bhutton-relative-json-pointer-00
  mutating func takeRelativeJSONPointer() -> Bool {
    guard takeCount() else { return false }
    if next == 0x2B || next == 0x2D {
      position += 1
      guard next != 0x30, takeCount() else { return false }
    }
    if take(0x23) { return isAtEnd }
    return takeJSONPointer()
  }

  /// Takes digits without a leading zero.
  private mutating func takeCount() -> Bool {
    let first = next
    let count = skip { Self.isDigit($0) }
    return count == 1 || count > 1 && first != 0x30
  }

  /// Takes all that is left as a URI template.
  ///
  /// https://www.rfc-editor.org/rfc/rfc6570#section-2
  mutating func takeURITemplate() -> Bool {
    while !isAtEnd {
      switch next {
      case 0x7B:
        guard takeExpression() else { return false }
      case 0x25:
        guard takeEscape() else { return false }
      case 0x80...0xFF:
        guard takeInternational(true) else { return false }
      case 0x00...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7C, 0x7D, 0x7F:
        return false
      default:
        position += 1
      }
    }
    return true
  }

  private mutating func takeExpression() -> Bool {
    position += 1
    switch next {
    case 0x2B, 0x23, 0x2E, 0x2F, 0x3B, 0x3F, 0x26, 0x3D, 0x2C, 0x21, 0x40, 0x7C:
      position += 1
    default: break
    }
    repeat {
      guard takeVariable() else { return false }
    } while take(0x2C)
    return take(0x7D)
  }

  private mutating func takeVariable() -> Bool {
    repeat {
      var count = 0
      while true {
        if next == 0x25 {
          guard takeEscape() else { return false }
        } else if Self.isLetter(next) || Self.isDigit(next) || next == 0x5F {
          position += 1
        } else {
          break
        }
        count += 1
      }
      guard count > 0 else { return false }
    } while take(0x2E)
    if take(0x2A) { return true }
    guard take(0x3A) else { return true }
    let first = next
    let count = skip { Self.isDigit($0) }
    return count >= 1 && count <= 4 && first != 0x30
  }
}
