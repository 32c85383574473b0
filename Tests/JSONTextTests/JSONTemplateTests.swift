import JSONText
import Testing

@Suite struct JSONTemplateTests {
  private static let query = "query ($n: Int) { notes(first: $n) {nodes { id } } }"

  @Test func `braces around anything but a word are text`() {
    let template = JSONTemplate(["query": .string(Self.query), "id": "a {id} {} {a b}"])
    #expect(template.names == ["id"])
    #expect(
      template.filled(["id": "x"]) == ["query": .string(Self.query), "id": "a x {} {a b}"]
    )
  }

  @Test func `a name that is a text by itself becomes the value`() {
    let template = JSONTemplate(["a": ["{n}", "n = {n}"]])
    #expect(template.filled(["n": 7]) == ["a": [7, "n = 7"]])
  }

  @Test func `a template without one of its values has no JSON`() {
    #expect(JSONTemplate(["a": "{n}", "b": "{m}"]).filled(["n": 7]) == nil)
  }

  @Test func `what an absent value leaves empty is left out`() {
    let template = JSONTemplate(["n": "{n}", "start": ["id": ["S": "{start}"]], "kept": [:]])
    #expect(
      template.leavingOut(["start"]).filled(["n": 7]) == ["n": 7, "kept": [:]]
    )
    #expect(
      template.leavingOut([]).filled(["n": 7, "start": "x"])
        == ["n": 7, "start": ["id": ["S": "x"]], "kept": [:]]
    )
  }

  @Test(
    arguments: [
      (["stringValue": "{value}"], ["stringValue": "a"], "a"),
      (["arrayValue": ["values": "{value}"]], ["arrayValue": ["values": [1]]], [1]),
      (["__type": "Date", "iso": "{value}"], ["iso": "x", "__type": "Date"], "x"),
    ] as [(JSONValue, JSONValue, JSONValue)]
  )
  func `a JSON of the form has the value`(form: JSONValue, value: JSONValue, found: JSONValue) {
    #expect(JSONTemplate(form).matched(by: value) == ["value": found])
  }

  @Test(
    arguments: [
      (["S": "{value}"], "a"), (["S": "{value}"], ["N": "1"]),
      (["S": "{value}"], ["S": "a", "N": "1"]),
      (["__type": "Date", "iso": "{value}"], ["__type": "Bytes", "iso": "x"]),
      (["__type": "Date", "iso": "{value}"], ["__type": "Date"]), (["NULL": true], ["NULL": false]),
    ] as [(JSONValue, JSONValue)]
  )
  func `a JSON of another form has none`(form: JSONValue, value: JSONValue) {
    #expect(JSONTemplate(form).matched(by: value) == nil)
  }

  @Test func `a name is replaced in texts and in the names of members`() {
    let value: JSONValue = ["{account}": [true, "of {account}"], "a": "{accounts}"]
    #expect(value.mentions("account") && !value.mentions("id"))
    #expect(
      value.replacing("account", with: "x{account}")
        == ["x{account}": [true, "of x{account}"], "a": "{accounts}"]
    )
  }
}
