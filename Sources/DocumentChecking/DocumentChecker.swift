import Files
import JSONText
import SchemaValidation

/// What is wrong with one document, before it is put in words.
enum DocumentOutcome: Hashable, Sendable {
  case malformed(JSONError)
  case faults([SchemaFault])
  /// Nothing is wrong; what the schema has to say of it.
  case annotations([SchemaAnnotation])

  var isFault: Bool {
    if case .annotations = self { false } else { true }
  }
}

extension DocumentCheck.Verdict {
  /// Words what was found about the document that begins on `line`.
  init(line: Int, outcome: DocumentOutcome) {
    self.line = line
    annotations = if case .annotations(let annotations) = outcome { annotations } else { [] }
    switch outcome {
    case .annotations: findings = []
    case .malformed(let error): findings = [DocumentFinding(error, in: line)]
    case .faults(let faults): findings = faults.map(DocumentFinding.init)
    }
  }
}

/// Looks at one document after the other; each task has its own.
struct DocumentChecker {
  private let validator: SchemaValidator
  private let document = JSONDocument()
  private let annotates: Bool

  init(_ schema: Schema, annotates: Bool) {
    validator = SchemaValidator(schema)
    self.annotates = annotates
  }

  /// What there is to say about the document; `nil` where nothing is wrong, and nothing else asked.
  func check(_ bytes: UnsafeRawBufferPointer) -> DocumentOutcome? {
    do throws(JSONError) {
      if unsafe isLargeArray(bytes), unsafe try validator.areElementsValid(document, bytes) {
        return nil
      }
      unsafe try document.parse(bytes)
    } catch {
      return .malformed(error)
    }
    if validator.isValid(document, document.root) {
      return annotates ? .annotations(validator.annotations(document, document.root)) : nil
    }
    let faults = validator.faults(document, document.root)
    return faults.isEmpty ? nil : .faults(faults)
  }

  /// Whether the document is an array that need not be held whole to be found without fault.
  private func isLargeArray(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= Self.large, !annotates, validator.looksAtElementsAlone else {
      return false
    }
    return unsafe DocumentReader.isArray(bytes)
  }

  /// From so many bytes on, an array is looked at element by element: what is known of a document takes
  /// up to sixteen times its size.
  private static let large = 1 << 20
}

/// What was found in a block of lines.
struct BlockOutcome: Sendable {
  private(set) var documentCount = 0
  private(set) var invalidCount = 0
  /// What was found, by the lines that the documents are on.
  private(set) var stretches: [DocumentCheck.Stretch] = []
  /// Where the lines begin that are still to be checked; `nil` where there are none.
  private(set) var rest: Place?
  private var findingCount = 0

  /// The place of a line in a block.
  struct Place: Hashable, Sendable {
    let offset: Int
    let line: Int
  }

  /// From so many findings on, the lines that follow are left: a finding takes more memory than the line
  /// that it is about, and several blocks are held at once.
  static let mostFindings = 5_000

  init() {}

  /// Checks the lines of `bytes` from a place on, until there are ``mostFindings``; empty lines count for
  /// nothing.
  init(_ bytes: UnsafeRawBufferPointer, from place: Place, _ checker: DocumentChecker) {
    var start = place.offset
    var line = place.line
    while start < bytes.count {
      if findingCount >= Self.mostFindings {
        rest = Place(offset: start, line: line)
        return
      }
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      let length = unsafe LineReader.lineFeed(in: rest) ?? rest.count
      let document = unsafe UnsafeRawBufferPointer(rebasing: rest[..<length])
      if unsafe !DocumentReader.isEmpty(document) {
        unsafe add(checker.check(document), line: line)
      }
      start += length + 1
      line += 1
    }
  }

  /// Adds what there is to say about the document on a line.
  mutating func add(_ outcome: DocumentOutcome?, line: Int) {
    documentCount += 1
    guard let outcome else {
      if case .valid(let lines)? = stretches.last, lines.upperBound == line - 1 {
        stretches[stretches.count - 1] = .valid(lines: lines.lowerBound...line)
      } else {
        stretches.append(.valid(lines: line...line))
      }
      return
    }
    if outcome.isFault { invalidCount += 1 }
    let verdict = DocumentCheck.Verdict(line: line, outcome: outcome)
    findingCount += verdict.findings.count + verdict.annotations.count
    stretches.append(.document(verdict))
  }
}
