import DevelopmentBackend
import Foundation
import JSONText
import Testing

struct FileRouteTests {
  @Test(arguments: [false, true])
  func `a file is announced, put, confirmed, read and deleted`(inFolder: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("media-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withSignedInServer({
      $0.uploadTickets = true
      $0.mediaFolder = inFolder ? folder.path : nil
    }) { client in
      let ticket = try await client.post("/api/files/upload", request(size: 5))
      #expect(ticket.status == 200)
      let key = ticket.text("/data/storageKey")
      #expect(key.hasPrefix("avatar/c"))
      #expect(key.hasSuffix("-my_face.png"))
      #expect(
        try await client.post("/api/files/confirm", ["storageKey": .string(key)]).status == 409
      )
      let missing = TestClient(port: client.port)
      let address = ticket.text("/data/uploadUrl")
      let short = try await missing.send("PUT", address, bytes: [1])
      #expect(short.status == 400)
      #expect(try await missing.send("PUT", address, bytes: Array("hello".utf8)).status == 200)
      let confirmed = try await client.post(
        "/api/files/confirm",
        ["storageKey": .string(key)]
      )
      #expect(confirmed.number("/data/size") == 5)
      #expect(
        confirmed.text("/data/sha256")
          == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
      )
      let file = try await missing.get(confirmed.text("/data/publicUrl"))
      #expect(file.text == "hello")
      #expect(file.header("content-type") == "image/png")
      let head = try await missing.send("HEAD", confirmed.text("/data/publicUrl"))
      #expect(head.header("content-length") == "5")
      #expect(try await client.delete("/api/files/\(key)").status == 200)
      #expect(try await missing.get(confirmed.text("/data/publicUrl")).status == 404)
    }
  }

  @Test func `a file too large or of no known kind is refused`() async throws {
    try await withSignedInServer({ $0.uploadTickets = true }) { client in
      let image = try await client.post("/api/files/upload", request(size: 10_485_761))
      #expect(image.status == 413)
      #expect(image.text("/error/code") == "FileTooLarge")
      let audio = try await client.post(
        "/api/files/upload",
        request(size: 10_485_761, category: "audio")
      )
      #expect(audio.status == 200)
      let other = try await client.post("/api/files/upload", request(size: 1, category: "film"))
      #expect(other.status == 400)
    }
  }

  @Test func `an upload ticket expires`() async throws {
    try await withSignedInServer({
      $0.uploadTickets = true
      $0.ticketLifetime = 0
    }) { client in
      let ticket = try await client.post("/api/files/upload", request(size: 1))
      let put = try await client.send("PUT", ticket.text("/data/uploadUrl"), bytes: [1])
      #expect(put.status == 403)
    }
  }

  private func request(size: Int64, category: String = "avatar") -> JSONValue {
    [
      "fileName": "my face.png", "mimeType": "image/png",
      "fileSize": .number(JSONNumber(size)), "category": .string(category),
    ]
  }
}
