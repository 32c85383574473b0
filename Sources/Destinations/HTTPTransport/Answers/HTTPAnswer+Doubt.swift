extension Meaning {
  /// The same, where what was put off may have been carried out all the same.
  package var inDoubt: Meaning {
    guard case .later(let pause, let reason) = self else { return self }
    return .unknown(pause: pause, reason: reason)
  }
}

extension HTTPAnswer {
  /// Whether an answer of 503 says why, as an interface does; true of every other answer.
  ///
  /// A page does not, nor does what only repeats the status. What reports the way to the destination, or
  /// of the time that it took, is a gateway's word, in whatever form.
  package var saysWhy: Bool {
    guard status == 503 else { return true }
    let message = ServerMessage(body: AnswerBody(body)?.value)
    let words = "\(message.code ?? "") \(message.text)".lowercased()
      .split { !$0.isLetter }
      .map(String.init)
    let letters = words.joined()
    return !words.allSatisfy(Self.wordsOfTheStatus.contains)
      && !Self.wordsOfTheWay.contains { letters.contains($0) }
  }

  /// Whether a page for people is in place of an answer: a success with HTML.
  ///
  /// Backends in PHP send JSON under that type too: what begins like JSON is an answer that was cut.
  package var isPage: Bool {
    guard (200...299).contains(status), status != 202, mediaType == "text/html" else {
      return false
    }
    let first = body.first { !" \n\r\t".utf8.contains($0) }
    return first != UInt8(ascii: "{") && first != UInt8(ascii: "[")
  }

  private static let wordsOfTheStatus: Set<String> = [
    "the", "server", "service", "is", "currently", "temporarily", "temporary", "unavailable",
    "serviceunavailable", "servicetemporarilyunavailable", "error",
  ]

  private static let wordsOfTheWay = [
    "upstream", "gateway", "disconnect", "reset", "timeout", "timedout",
  ]
}
