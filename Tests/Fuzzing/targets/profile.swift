// stand-ins: Crypto
// packages: Yams
// rooms: JSONText Patterns SchemaValidation Records Schemas Profiles
// embeds: Schemas/published Schemas/upgrades
// libraries: libpcre2-8
import JSONText
import Profiles
import Records

/// What libFuzzer calls: the input, as a profile, may be refused, with a place and a cure for each
/// fault; one that is taken is the same when it is read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do throws(ProfileError) {
    let profile = try Profile(yaml: bytes, path: "profile.yaml")
    let again = try Profile(yaml: bytes, path: "profile.yaml")
    precondition(again == profile, "a profile that is read twice is not the same")
  } catch {
    precondition(!error.description.isEmpty, "a refusal says why")
  }
  return 0
}
