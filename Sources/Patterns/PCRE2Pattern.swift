#if PCRE2
import CPCRE2

/// An ECMA-262 pattern with the `u` flag, compiled once by PCRE2.
///
/// PCRE2 first matches by backtracking, with as many steps as the scratch allows. If they are not enough, it
/// matches without backtracking. That decides every pattern that is not very large and has neither
/// assertions nor back references.
@safe
package final class PCRE2Pattern: PatternEngine {
  /// The pattern as it was written.
  package let source: String
  // PCRE2 promises that compiled code is not changed by matching and may be shared by threads.
  // https://pcre2project.github.io/pcre2/doc/pcre2api/#TOC1
  nonisolated(unsafe) private let code: OpaquePointer
  private let isCompiledToMachineCode: Bool

  /// Compiles `source`.
  ///
  /// - Throws: ``PatternError/malformed(pattern:offset:reason:)`` for what ECMA-262 does not allow,
  ///   ``PatternError/unsupported(pattern:construct:)`` for what the engine does not.
  package init(_ source: String) throws(PatternError) {
    self.source = source
    let (compiled, errorCode) = unsafe Self.compiled(try PatternSyntax.pcre2(source))
    guard let compiled = unsafe compiled else {
      throw .unsupported(pattern: source, construct: Self.message(errorCode))
    }
    unsafe code = compiled
    isCompiledToMachineCode = unsafe pcre2_jit_compile_8(compiled, PCRE2_JIT_COMPLETE) == 0
  }

  deinit { unsafe pcre2_code_free_8(code) }

  /// Compiles a pattern as PCRE2 spells it; without code there is the number of an error.
  private static func compiled(_ spelling: String) -> (code: OpaquePointer?, error: Int32) {
    var errorCode: Int32 = 0
    var errorOffset = 0
    let options =
      PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C | PCRE2_MATCH_UNSET_BACKREF
      | PCRE2_DOLLAR_ENDONLY
    var text = spelling
    let code = text.withUTF8 { utf8 in
      unsafe pcre2_compile_8(
        utf8.baseAddress,
        utf8.count,
        UInt32(bitPattern: Int32(truncatingIfNeeded: options)),
        &errorCode,
        &errorOffset,
        nil
      )
    }
    return unsafe (code, errorCode)
  }

  /// Says whether the pattern is found in `text`.
  ///
  /// - Throws: ``PatternError/tooHard(pattern:)`` when the limit is reached.
  package func matches(_ text: String) throws(PatternError) -> Bool {
    try decided(unsafe Self.withBytes(of: text) { unsafe outcome($0, PatternScratch()) })
  }

  /// Says whether the pattern is found in `utf8`, which must be well-formed UTF-8.
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
    try decided(unsafe outcome(utf8, scratch))
  }

  /// Says whether the pattern is found as ``matches(_:)`` does where backtracking reaches its limit.
  ///
  /// Tests compare the two with it.
  package func matchesWithoutBacktracking(_ text: String) throws(PatternError) -> Bool {
    try decided(
      unsafe Self.withBytes(of: text) { unsafe outcomeWithoutBacktracking($0, PatternScratch()) }
    )
  }

  private static func withBytes(of text: String, _ body: (UnsafeRawBufferPointer) -> Int32) -> Int32
  {
    var text = text
    return text.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
  }

  private func decided(_ outcome: Int32) throws(PatternError) -> Bool {
    if outcome >= 0 { return true }
    if outcome == PCRE2_ERROR_NOMATCH { return false }
    throw .tooHard(pattern: source)
  }

  private func outcome(_ utf8: UnsafeRawBufferPointer, _ scratch: PatternScratch) -> Int32 {
    let outcome = unsafe outcomeOfBacktracking(utf8, scratch)
    return outcome >= PCRE2_ERROR_NOMATCH
      ? outcome : unsafe outcomeWithoutBacktracking(utf8, scratch)
  }

  private func outcomeOfBacktracking(
    _ utf8: UnsafeRawBufferPointer,
    _ scratch: PatternScratch
  ) -> Int32 {
    scratch.pcre2.prepare(for: utf8.count)
    let subject = unsafe Self.subject(utf8)
    if isCompiledToMachineCode {
      let outcome = unsafe pcre2_jit_match_8(
        code,
        subject,
        utf8.count,
        0,
        0,
        scratch.pcre2.matchData,
        scratch.pcre2.context
      )
      if outcome != PCRE2_ERROR_JIT_STACKLIMIT { return outcome }
    }
    return unsafe pcre2_match_8(
      code,
      subject,
      utf8.count,
      0,
      UInt32(PCRE2_NO_UTF_CHECK) | UInt32(PCRE2_NO_JIT),
      scratch.pcre2.matchData,
      scratch.pcre2.context
    )
  }

  /// PCRE2's other algorithm, which follows all ways at once and reads the text once.
  ///
  /// It has no back references, and it would begin anew at each character for an assertion that looks
  /// ahead or behind: Ferry lets it have neither. It also refuses a pattern with more ways than there
  /// is space for. The time grows with the square of their number, so a long text gets less space.
  ///
  /// https://pcre2project.github.io/pcre2/doc/pcre2matching/#SEC4
  private func outcomeWithoutBacktracking(
    _ utf8: UnsafeRawBufferPointer,
    _ scratch: PatternScratch
  ) -> Int32 {
    guard let spelling = try? PatternSyntax.pcre2(source, groupsRepeated: true),
      let code = unsafe Self.compiled("(?s:.)*?(?:\(spelling))").code
    else { return PCRE2_ERROR_MATCHLIMIT }
    defer { unsafe pcre2_code_free_8(code) }
    // The call itself counts as one; an assertion would be a further one.
    scratch.pcre2.setLimit(1)
    let target = min(max(40_000_000 / max(utf8.count, 1), 100), 1_000)
    return unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: target) { target in
      unsafe pcre2_dfa_match_8(
        code,
        Self.subject(utf8),
        utf8.count,
        0,
        UInt32(PCRE2_NO_UTF_CHECK) | PCRE2_ANCHORED | UInt32(PCRE2_DFA_SHORTEST),
        scratch.pcre2.matchData,
        scratch.pcre2.context,
        target.baseAddress,
        target.count
      )
    }
  }

  private static func subject(_ utf8: UnsafeRawBufferPointer) -> UnsafePointer<UInt8> {
    let empty: StaticString = ""
    let start = unsafe utf8.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
    return unsafe start.assumingMemoryBound(to: UInt8.self)
  }

  private static func message(_ code: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = unsafe pcre2_get_error_message_8(code, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, Int(count))), as: UTF8.self)
  }
}
#endif
