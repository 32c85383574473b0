#if PCRE2
import CPCRE2

/// PCRE2's part of a ``PatternScratch``.
@safe
final class PCRE2Scratch {
  let matchData: OpaquePointer
  let context: OpaquePointer
  private let stack: OpaquePointer?
  private let stepLimit: Int
  private var limitInForce: Int

  init(stepLimit: Int) {
    self.stepLimit = stepLimit
    limitInForce = stepLimit
    guard let matchData = unsafe pcre2_match_data_create_8(1, nil),
      let context = unsafe pcre2_match_context_create_8(nil)
    else { fatalError("the system gave no memory for matching patterns") }
    unsafe self.matchData = matchData
    unsafe self.context = context
    unsafe stack = pcre2_jit_stack_create_8(32 << 10, 1 << 20, nil)
    unsafe pcre2_set_match_limit_8(context, UInt32(clamping: stepLimit))
    unsafe pcre2_set_heap_limit_8(context, 64 << 10)
    if let stack = unsafe stack {
      unsafe pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack))
    }
  }

  deinit {
    unsafe pcre2_match_data_free_8(matchData)
    unsafe pcre2_match_context_free_8(context)
    unsafe pcre2_jit_stack_free_8(stack)
  }

  /// Sets the limit for a text of `byteCount` bytes.
  @inline(__always)
  func prepare(for byteCount: Int) { setLimit(max(stepLimit, byteCount * 8)) }

  @inline(__always)
  func setLimit(_ limit: Int) {
    guard limit != limitInForce else { return }
    limitInForce = limit
    unsafe pcre2_set_match_limit_8(context, UInt32(clamping: limit))
  }
}
#endif
