import DestinationModel
import S3Media
import Testing

/// The published examples of AWS Signature Version 4 for S3.
struct SignatureTests {
  private static let noBody = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  private func authorization(of subject: SignatureV4.Subject) -> String? {
    let signature = SignatureV4(
      accessKey: "AKIAIOSFODNN7EXAMPLE",
      secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
      region: "us-east-1"
    )
    // 24 May 2013, 00:00:00 UTC.
    return signature.headers(for: subject, now: 1_369_353_600)
      .first { $0.name == "Authorization" }?.value
  }

  @Test func `the signature of a range request matches the published example`() {
    let value = authorization(
      of: SignatureV4.Subject(
        method: "GET",
        host: "examplebucket.s3.amazonaws.com",
        path: "/test.txt",
        headers: [("range", "bytes=0-9")],
        bodyDigest: Self.noBody
      )
    )
    #expect(
      value
        == "AWS4-HMAC-SHA256 "
        + "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    )
  }

  @Test func `the signature of a PUT matches the published example`() {
    let value = authorization(
      of: SignatureV4.Subject(
        method: "PUT",
        host: "examplebucket.s3.amazonaws.com",
        path: "/test%24file.text",
        headers: [
          ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ],
        bodyDigest: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
      )
    )
    let signature = "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
    #expect(value?.hasSuffix("Signature=\(signature)") == true)
  }

  @Test func `the signature of a bucket request matches the published example`() {
    let value = authorization(
      of: SignatureV4.Subject(
        method: "GET",
        host: "examplebucket.s3.amazonaws.com",
        path: "/",
        query: [("lifecycle", "")],
        bodyDigest: Self.noBody
      )
    )
    let signature = "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    #expect(value?.hasSuffix("Signature=\(signature)") == true)
  }

  @Test func `a query is signed in the order of its encoded names`() {
    let value = authorization(
      of: SignatureV4.Subject(
        method: "GET",
        host: "examplebucket.s3.amazonaws.com",
        path: "/",
        query: [("prefix", "J"), ("max-keys", "2")],
        bodyDigest: Self.noBody
      )
    )
    let signature = "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    #expect(value?.hasSuffix("Signature=\(signature)") == true)
  }

  private func example(sessionToken: Secret? = nil, path: String = "/") -> [String: String] {
    let signature = SignatureV4(
      accessKey: "AKIDEXAMPLE",
      secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
      sessionToken: sessionToken,
      region: "us-east-1",
      service: "iam"
    )
    // 30 August 2015, 12:36:00 UTC.
    let headers = signature.headers(
      for: SignatureV4.Subject(
        method: "GET",
        host: "iam.amazonaws.com",
        path: path,
        query: [("Version", "2010-05-08"), ("Action", "ListUsers")],
        headers: [("content-type", "application/x-www-form-urlencoded; charset=utf-8")],
        bodyDigest: Self.noBody
      ),
      now: 1_440_938_160
    )
    return Dictionary(headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  @Test func `the signature of another service matches the published example`() {
    let signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    #expect(
      example()["Authorization"]
        == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request,"
        + "SignedHeaders=content-type;host;x-amz-date,Signature=\(signature)"
    )
  }

  @Test func `the token of a session is signed`() {
    let headers = example(sessionToken: Secret("session"))
    #expect(headers["x-amz-security-token"] == "session")
    #expect(
      headers["Authorization"]?.contains(
        "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,"
      ) == true
    )
  }

  @Test func `the path of another service is encoded once more`() {
    let signature = "73c9a41cc5d587d3228ff0a33f27559b80e643ff931055f22272e2fda21091c9"
    #expect(example(path: "/a%20b/c")["Authorization"]?.hasSuffix("Signature=\(signature)") == true)
  }
}
