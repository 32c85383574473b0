import CPCRE2

/// An ECMA-262 pattern with the `u` flag, compiled once.
///
/// A pattern looks anywhere in a text, as JSON Schema wants it; `^` and `$` pin it down. Matching
/// never takes more steps than the scratch allows.
@safe
package final class Pattern: Sendable {
  /// The pattern as it was written.
  package let source: String
  // PCRE2 promises that compiled code is not changed by matching and may be shared by threads.
  // https://pcre2project.github.io/pcre2/doc/pcre2api/#TOC1
  nonisolated(unsafe) private let code: OpaquePointer
  private let isCompiledToMachineCode: Bool
  nonisolated(unsafe) private let cells: UnsafeMutableBufferPointer<UInt8>?
  private let stateCount: Int
  private let start: UInt8

  /// Compiles `source`.
  ///
  /// - Throws: ``PatternError/malformed(pattern:offset:reason:)`` for what ECMA-262 does not allow,
  ///   ``PatternError/unsupported(pattern:reason:)`` for what the engine does not.
  package init(_ source: String) throws(PatternError) {
    self.source = source
    let translated = try PatternSyntax.translate(source)
    var errorCode: Int32 = 0
    var errorOffset = 0
    let options =
      PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C | PCRE2_MATCH_UNSET_BACKREF
      | PCRE2_DOLLAR_ENDONLY
    var text = translated
    let compiled = text.withUTF8 { utf8 in
      unsafe pcre2_compile_8(
        utf8.baseAddress,
        utf8.count,
        UInt32(bitPattern: Int32(truncatingIfNeeded: options)),
        &errorCode,
        &errorOffset,
        nil
      )
    }
    guard let compiled = unsafe compiled else {
      throw .unsupported(pattern: source, reason: Self.message(errorCode))
    }
    unsafe code = compiled
    let automaton = PatternAutomaton(source)
    stateCount = automaton?.stateCount ?? 0
    start = automaton?.start ?? 0
    unsafe cells = (automaton?.cells).map { cells in
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: cells.count)
      _ = unsafe copy.initialize(from: cells)
      return unsafe copy
    }
    isCompiledToMachineCode = unsafe pcre2_jit_compile_8(compiled, PCRE2_JIT_COMPLETE) == 0
  }

  deinit {
    unsafe pcre2_code_free_8(code)
    unsafe cells?.deallocate()
  }

  /// The pattern as a table, good for as long as the pattern lives; `nil` when only the engine will
  /// do.
  package var table: PatternTable? {
    guard let cells = unsafe cells, let base = cells.baseAddress else { return nil }
    return unsafe PatternTable(
      cells: UnsafePointer(base),
      ends: UnsafePointer(base + stateCount * 256),
      start: start
    )
  }

  /// Tells whether `source` is an ECMA-262 pattern, and says nothing of the engine.
  package static func isWellFormed(_ source: String) -> Bool {
    do throws(PatternError) {
      _ = try PatternSyntax.translate(source)
      return true
    } catch {
      if case .unsupported = error { return true }
      return false
    }
  }

  /// Tells whether the pattern is found in `text`.
  ///
  /// - Throws: ``PatternError/tooHard(pattern:)`` when the limit is reached.
  package func matches(_ text: String) throws(PatternError) -> Bool {
    if let table = unsafe table {
      var text = text
      return text.withUTF8 { unsafe table.matches(UnsafeRawBufferPointer($0)) }
    }
    return try engineMatches(text)
  }

  /// Tells whether the pattern is found in `utf8`, which must be well-formed UTF-8.
  ///
  /// The engine reads memory that is not its own when the bytes are not well formed; those of a
  /// parsed document are.
  ///
  /// - Throws: ``PatternError/tooHard(pattern:)`` when the limit is reached.
  @unsafe
  package func matches(
    wellFormed utf8: UnsafeRawBufferPointer,
    _ scratch: PatternScratch
  ) throws(PatternError) -> Bool {
    if let table = unsafe table { return unsafe table.matches(utf8) }
    return try decided(unsafe outcome(utf8, scratch))
  }

  /// Whether PCRE2 finds the pattern, even where there is a table; for comparing the two.
  package func engineMatches(_ text: String) throws(PatternError) -> Bool {
    var text = text
    let scratch = PatternScratch()
    let answer = text.withUTF8 { utf8 in
      unsafe outcome(UnsafeRawBufferPointer(utf8), scratch)
    }
    return try decided(answer)
  }

  private func decided(_ outcome: Int32) throws(PatternError) -> Bool {
    if outcome >= 0 { return true }
    if outcome == PCRE2_ERROR_NOMATCH { return false }
    throw .tooHard(pattern: source)
  }

  private func outcome(_ utf8: UnsafeRawBufferPointer, _ scratch: PatternScratch) -> Int32 {
    scratch.prepare(for: utf8.count)
    let empty: StaticString = ""
    let start = unsafe utf8.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
    let subject = unsafe start.assumingMemoryBound(to: UInt8.self)
    if isCompiledToMachineCode {
      let outcome = unsafe pcre2_jit_match_8(
        code,
        subject,
        utf8.count,
        0,
        0,
        scratch.matchData,
        scratch.context
      )
      if outcome != PCRE2_ERROR_JIT_STACKLIMIT { return outcome }
    }
    return unsafe pcre2_match_8(
      code,
      subject,
      utf8.count,
      0,
      UInt32(PCRE2_NO_UTF_CHECK) | UInt32(PCRE2_NO_JIT),
      scratch.matchData,
      scratch.context
    )
  }

  private static func message(_ code: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = unsafe pcre2_get_error_message_8(code, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, Int(count))), as: UTF8.self)
  }
}
