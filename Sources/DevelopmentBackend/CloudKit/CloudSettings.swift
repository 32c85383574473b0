import JSONText

extension DevelopmentBackend {
  /// How the CloudKit databases behave.
  package struct CloudKit: Hashable, Sendable {
    /// What requests with a web token have to name as `ckAPIToken`.
    package var apiToken = "development-api-token"
    /// The most operations of one request.
    package var operationLimit = 200
    /// The most records of one page.
    package var recordLimit = 200
    /// The largest body of one request, in bytes.
    package var largestRequest = 8 << 20
    /// Whether each record type has the index “recordName, queryable”, which a person gives it in the
    /// console.
    package var isIndexed = true
    /// The most records of one database, or `nil`.
    package var recordQuota: Int?
    /// The most requests within a window, all databases together; `nil` is without limit.
    package var requestLimit: Int?
    /// The length of that window, in whole seconds.
    package var requestWindow = 1
    /// How long a web token is good for, in seconds; each is good for one request only.
    package var tokenLifetime = 1_800.0
    /// How long the address for an asset, and then the receipt for it, is good for, in seconds.
    package var assetLifetime = 900.0

    package init() {}

    /// The records of one page, as a request requests, up to the limit.
    func pageLimit(_ request: JSONValue?) -> Int {
      let number = request?.integer.map { Int(clamping: $0) } ?? recordLimit
      return min(max(number, 1), recordLimit)
    }
  }
}
