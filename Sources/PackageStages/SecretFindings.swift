import JSONText
import Profiles
import RecordMapping
import Records

extension CompiledExport {
  /// Which secrets stay behind, by name; never what they are.
  var secretFindings: [Finding] {
    secrets.compactMap { secret in
      secret.member.map { name in
        Finding(
          code: "export.secret",
          severity: .warning,
          entity: secret.entity,
          pointer: "/" + JSONPointer.escaped(name),
          cause: "“\(name)” holds a secret, and is in no record",
          cure: "have the app take it out of its store, and renew it where others had the file; "
            + "if it is not a secret, list it under “secrets: { except: […] }” in the profile"
        )
      }
    }
  }
}
