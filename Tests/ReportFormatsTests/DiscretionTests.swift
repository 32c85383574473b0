import JSONText
import ReportFormats
import Testing

struct DiscretionTests {
  private static let key = "a key of more than sixteen bytes"

  private func text(of report: Report) -> String {
    ReportForm.allCases.map { $0.text(of: report) }.joined()
      + Annotations.lines(of: report).joined()
  }

  @Test(arguments: ReportForm.allCases)
  func `no form shows a value of a record`(form: ReportForm) {
    let text = form.text(of: SampleReport.report())
    for value in ["Geheim", "“Ge”"] { #expect(!text.contains(value)) }
  }

  @Test(arguments: ReportForm.allCases)
  func `no form with pseudonyms shows an identity`(form: ReportForm) {
    let text = form.text(of: SampleReport.report(key: Self.key))
    for value in ["hero-1", "hero-2", "hero-7", "secret-id", "Geheim"] {
      #expect(!text.contains(value))
    }
  }

  @Test func `annotations show neither values nor, with pseudonyms, identities`() {
    let plain = Annotations.lines(of: SampleReport.report()).joined()
    #expect(plain.contains("hero-7") && !plain.contains("Geheim"))
    let hidden = Annotations.lines(of: SampleReport.report(key: Self.key)).joined()
    #expect(!hidden.contains("hero-7") && !hidden.contains("secret-id"))
  }

  @Test func `values are shown when they are asked for`() {
    let text = ReportForm.markdown.text(of: SampleReport.report(showsValues: true))
    #expect(text.contains("Geheim"))
  }

  @Test func `what a schema expects is told without what was found`() {
    let findings = SampleReport.report().findings
    #expect(findings.first { $0.code == "schema.minLength" }?.cause == "expected at least 3")
  }

  @Test func `the same record has the same pseudonym with the same key, and only then`() {
    func records(_ key: String) -> [String] {
      SampleReport.report(key: key).findings.compactMap(\.record)
    }
    #expect(records(Self.key) == records(Self.key))
    #expect(records(Self.key) != records(Self.key + "!"))
    #expect(Set(records(Self.key)).count == 3)
  }

  @Test func `paths are relative, and outside the folder only a name`() {
    let discretion = ReportDiscretion(showsValues: false, key: nil, folder: "/home/me/app")
    #expect(discretion.path("/home/me/app/out/p.ferry") == "out/p.ferry")
    #expect(discretion.path("/var/secret/p.ferry") == "p.ferry")
    #expect(discretion.path("./p.ferry") == "p.ferry")
    #expect(discretion.path("/home/me/application/p.ferry") == "p.ferry")
    let atRoot = ReportDiscretion(showsValues: false, key: nil, folder: "/")
    #expect(atRoot.path("/home/me/app/p.ferry") == "p.ferry")
  }
}
