package import Files

/// Why a file was not fetched.
package enum FetchFailure: Error, Hashable, Sendable {
  /// The address is not one that is asked.
  case unusable(reason: String)
  /// The host answered, and not with the file.
  case refused(host: String, status: Int)
  /// The host sends elsewhere, and that way is not gone.
  case redirected(reason: String)
  /// The file has more bytes than are allowed.
  case tooLarge(limit: Int64)
  /// What came is no file of a kind that the profile describes.
  case otherKind(reason: String)
  /// No answer came, or not all of one.
  case unreachable(host: String, reason: String)
  /// As many addresses as are allowed were asked before.
  case limitReached(count: Int)
  /// This machine could not keep the file.
  case unwritable(FileError)
}

extension FetchFailure {
  /// Whether the same address may give the file a moment later.
  var mayPass: Bool {
    switch self {
    case .unreachable: true
    case .refused(_, let status): status == 408 || status == 429 || status >= 500
    case .unusable, .redirected, .tooLarge, .otherKind, .limitReached, .unwritable: false
    }
  }

  /// The code of the finding that reports it.
  package var code: String {
    switch self {
    case .unusable: "media.fetch-address"
    case .refused: "media.fetch-refused"
    case .redirected: "media.fetch-redirected"
    case .tooLarge: "media.fetch-too-large"
    case .otherKind: "media.fetch-other-kind"
    case .unreachable, .unwritable: "media.fetch-unreachable"
    case .limitReached: "media.fetch-limit"
    }
  }

  /// What is the matter; never the address itself, whose words may be a key.
  package var cause: String {
    switch self {
    case .unusable(let reason): "Ferry does not request the address of the file: \(reason)"
    case .refused(let host, let status):
      "\(host) answered \(status) where the file should be"
    case .redirected(let reason): "the file was not reached: \(reason)"
    case .tooLarge(let limit): "the file has more than the \(limit) bytes that are allowed"
    case .otherKind(let reason): "what came is not the file: \(reason)"
    case .unreachable(let host, let reason): "the file did not come from \(host): \(reason)"
    case .limitReached(let count):
      "the file was not asked for: this run has asked for the \(count) that are allowed"
    case .unwritable(let error): "the file could not be kept: \(error)"
    }
  }

  /// What a person can do about it.
  package var cure: String {
    switch self {
    case .unusable:
      "correct the address in the app, or name the host under “hosts” of the field in the profile if it "
        + "may be asked; until then the record keeps the address"
    case .redirected:
      "check that the address gives the file without signing in, and name the host that has it under "
        + "“hosts” of the field in the profile if it may be asked; the record keeps the address"
    case .refused:
      "check that the address gives the file without signing in; the record keeps the address"
    case .tooLarge: "raise --max-fetch-size, and run the same command again"
    case .otherKind:
      "see what the address gives; list its media type under “types” of the field if it is right"
    case .unreachable: "run the same command again once the host answers"
    case .limitReached: "run the same command again, or raise --max-fetches"
    case .unwritable: "check that the disk has space, and run the same command again"
    }
  }
}
