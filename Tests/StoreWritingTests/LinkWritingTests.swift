import Records
import StoreWriting
import TestSupport
import Testing

/// Links of a Core Data store that a write-back sets, on both sides.
struct LinkWritingTests {
  @Test func `a link to one object leaves the objects that had either end`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(LinkedStore.entry("Member", "m1", #"{"badge":"b2"}"#))
      #expect(result.updatedCount == 1 && result.skipped.isEmpty)
      let badges = "SELECT ZID, ZBADGE FROM ZMEMBER ORDER BY Z_PK"
      #expect(try store.rows(badges) == ["m1|2", "m2|-", "m3|-"])
      #expect(try store.rows("SELECT ZID, ZHOLDER FROM ZBADGE ORDER BY Z_PK") == ["b1|-", "b2|1"])
      #expect(try store.countedUp() == ["ZMEMBER 1", "ZMEMBER 2", "ZBADGE 1", "ZBADGE 2"])
    }
  }

  @Test func `a link to one object that is removed is removed on the other side`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      _ = try store.apply(LinkedStore.entry("Badge", "b1", #"{"holder":null}"#))
      #expect(try store.rows("SELECT ZBADGE FROM ZMEMBER WHERE Z_PK = 1") == ["-"])
      #expect(try store.rows("SELECT ZHOLDER FROM ZBADGE WHERE Z_PK = 1") == ["-"])
    }
  }

  @Test func `links to many objects are set in their order, and others lose theirs`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(LinkedStore.entry("Team", "t1", #"{"members":["m3","m2"]}"#))
      #expect(result.updatedCount == 1 && result.skipped.isEmpty)
      let members = "SELECT ZID FROM ZMEMBER WHERE ZTEAM = 1 ORDER BY Z_FOK_TEAM"
      #expect(try store.rows(members) == ["m3", "m2"])
      #expect(try store.rows("SELECT ZTEAM, Z_FOK_TEAM FROM ZMEMBER WHERE ZID = 'm1'") == ["-|-"])
      #expect(try store.countedUp().contains("ZTEAM 1"))
    }
  }

  @Test func `an object that joins an ordered list comes last`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      _ = try store.apply(LinkedStore.entry("Member", "m3", #"{"team":"t1"}"#))
      let members = "SELECT ZID FROM ZMEMBER WHERE ZTEAM = 1 ORDER BY Z_FOK_TEAM"
      #expect(try store.rows(members) == ["m1", "m2", "m3"])
    }
  }

  @Test func `pairs are set with the order of both sides`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(LinkedStore.entry("Member", "m1", #"{"skills":["s3","s1"]}"#))
      #expect(result.skipped.isEmpty)
      let skills = "SELECT Z_3SKILLS FROM Z_2SKILLS WHERE Z_2MEMBERS = 1 ORDER BY Z_FOK_3SKILLS"
      #expect(try store.rows(skills) == ["3", "1"])
      let members = "SELECT Z_2MEMBERS FROM Z_2SKILLS WHERE Z_3SKILLS = 3 ORDER BY Z_FOK_2MEMBERS"
      #expect(try store.rows(members) == ["2", "1"])
      #expect(try store.countedUp() == ["ZMEMBER 1", "ZSKILL 2", "ZSKILL 3"])
    }
  }

  @Test func `pairs are set from the side after which the table is not named`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(LinkedStore.entry("Skill", "s1", #"{"members":["m2","m3"]}"#))
      #expect(result.skipped.isEmpty)
      let members = "SELECT Z_2MEMBERS FROM Z_2SKILLS WHERE Z_3SKILLS = 1 ORDER BY Z_FOK_2MEMBERS"
      #expect(try store.rows(members) == ["2", "3"])
    }
  }

  @Test func `a relationship that is its own inverse is set in both directions`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(LinkedStore.entry("Member", "m1", #"{"friends":["m3"]}"#))
      #expect(result.skipped.isEmpty)
      let pairs = "SELECT Z_2FRIENDS, REFLEXIVE FROM Z_2FRIENDS ORDER BY 1"
      #expect(try store.rows(pairs) == ["1|3", "3|1"])
    }
  }

  @Test func `friends are named and not written where no pair shows how they are kept`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder, also: "DELETE FROM Z_2FRIENDS")
      let result = try store.apply(LinkedStore.entry("Member", "m1", #"{"friends":["m3"]}"#))
      #expect(result.skipped.map(\.record.key) == ["m1"])
      #expect(try store.rows("SELECT count(*) FROM Z_2FRIENDS") == ["0"])
    }
  }

  @Test func `links that the copy has already count nothing up`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(
        LinkedStore.entry("Member", "m1", #"{"badge":"b1","skills":["s1","s2"],"friends":["m2"]}"#),
        LinkedStore.entry("Team", "t1", #"{"members":["m1","m2"]}"#)
      )
      #expect(result.updatedCount == 0 && result.keptCount == 2)
      #expect(try store.countedUp().isEmpty)
    }
  }

  @Test func `links to an object that the store does not have are named and not written`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(
        LinkedStore.entry("Member", "m1", #"{"skills":["s1","s9"],"team":"t2"}"#)
      )
      #expect(result.skipped.map(\.reason) == ["skills leads to no row of the store"])
      #expect(try store.rows("SELECT count(*) FROM Z_2SKILLS WHERE Z_2MEMBERS = 1") == ["2"])
      #expect(try store.rows("SELECT ZTEAM FROM ZMEMBER WHERE Z_PK = 1") == ["2"])
    }
  }

  @Test func `the links of a removed object go with it`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(LinkedStore.entry("Member", "m1", "deleted", "{}"))
      #expect(result.removedCount == 1)
      #expect(try store.rows("SELECT count(*) FROM Z_2SKILLS WHERE Z_2MEMBERS = 1") == ["0"])
      #expect(try store.rows("SELECT count(*) FROM Z_2FRIENDS") == ["0"])
      #expect(try store.rows("SELECT ZHOLDER FROM ZBADGE WHERE Z_PK = 1") == ["-"])
    }
  }

  @Test func `a restored object gets its links and a key of its own`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(
        LinkedStore.entry("Member", "m4", "restore", #"{"team":"t1","badge":"b1","skills":["s2"]}"#)
      )
      #expect(result.restoredCount == 1 && result.skipped.isEmpty)
      // The count of keys is behind in this store.
      #expect(try store.rows("SELECT Z_PK, Z_OPT FROM ZMEMBER WHERE ZID = 'm4'") == ["4|1"])
      #expect(try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 2") == ["4"])
      let members = "SELECT ZID FROM ZMEMBER WHERE ZTEAM = 1 ORDER BY Z_FOK_TEAM"
      #expect(try store.rows(members) == ["m1", "m2", "m4"])
      #expect(try store.rows("SELECT ZHOLDER FROM ZBADGE WHERE Z_PK = 1") == ["4"])
      #expect(try store.rows("SELECT Z_2MEMBERS FROM Z_2SKILLS WHERE Z_3SKILLS = 2") == ["1", "4"])
    }
  }
}
