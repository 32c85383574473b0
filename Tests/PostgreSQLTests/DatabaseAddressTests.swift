import DestinationModel
import Testing

import PostgreSQL

@Suite struct DatabaseAddressTests {
  @Test func `an address has a host, a port and a database`() throws {
    let address = try DatabaseAddress(
      "postgresql://DB.example.com:5433/my%20app?sslmode=verify-full"
    )
    #expect(address.host == "db.example.com")
    #expect(address.port == 5433)
    #expect(address.database == "my app")
    #expect(address.settings == ["sslmode": "verify-full"])
    #expect(address.text == "postgresql://db.example.com:5433/my%20app")
  }

  @Test func `another machine is asked for encryption unless the address says otherwise`() throws {
    #expect(try DatabaseAddress("postgres://db/app").settings["sslmode"] == "require")
    #expect(try DatabaseAddress("postgres://127.0.0.1/app").settings.isEmpty)
    #expect(try DatabaseAddress("postgres://[::1]:5432/app").host == "::1")
  }

  @Test(arguments: [
    ("postgresql://db/app", true), ("postgresql://db/app?sslmode=verify-ca", true),
    ("postgresql://db/app?sslmode=prefer", false), ("postgresql://db/app?sslmode=disable", false),
    ("postgresql://localhost/app?sslmode=disable", true),
    ("postgresql:///app?host=/run/postgresql", true),
  ])
  func `an address says whether the way there is encrypted`(text: String, isProtected: Bool)
    throws
  {
    #expect(try DatabaseAddress(text).isProtected == isProtected)
  }

  @Test func `a socket of this machine is named by its folder`() throws {
    let address = try DatabaseAddress("postgresql:///app?host=/run/postgresql")
    #expect(address.host == "/run/postgresql")
    #expect(address.text == "postgresql:///app?host=/run/postgresql")
    #expect(try DatabaseAddress(address.text) == address)
  }

  @Test(arguments: [
    "postgresql://db", "postgresql://db/", "postgresql:///app", "postgresql://db:0/app",
    "postgresql://db:x/app", "postgresql://a,b/app", "postgresql://db/app?options=-c%20x",
    "postgresql://db/app?sslmode=maybe", "postgresql://db/app#x", "postgresql://db/a b",
    "postgresql://db/app?password=x", "https://db/app", "postgresql://db/app?host=other",
  ])
  func `an address that libpq should not be given is refused`(text: String) {
    #expect(throws: DestinationError.self) { try DatabaseAddress(text) }
  }

  @Test func `an address with a password is refused and not repeated`() throws {
    let error = try #require(throws: DestinationError.self) {
      try DatabaseAddress("postgresql://app:s3cret@db/app")
    }
    #expect(!error.description.contains("s3cret"))
  }
}
