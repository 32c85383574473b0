import Records
import SchemaEmission
import TestSupport
import Testing

/// Scripts of tables.
struct SQLFormTests {
  @Test func `PostgreSQL's tables have keys, references, types and an owner`() {
    let emitted = SchemaForm.postgresql.emit(
      Notes.source,
      SchemaOptions(names: .snakeCase, owner: "owner")
    )
    #expect(emitted.text == Self.postgreSQL)
    #expect(emitted.notes == ["Note.tags: no foreign key checks the elements of an array"])
  }

  @Test func `PostgreSQL's tables without an owner have no row level security`() {
    let text = SchemaForm.postgresql.emit(Notes.source, SchemaOptions()).text
    #expect(!text.contains("auth."))
    #expect(!text.contains("ROW LEVEL SECURITY"))
    #expect(text.contains("\n  UNIQUE (\"title\")\n"))
    #expect(
      text.contains("CREATE TABLE \"notes\" (\n  \"id\" uuid PRIMARY KEY,\n  \"local_id\" uuid")
    )
  }

  @Test func `SQLite's tables have keys, references and types`() {
    let emitted = SchemaForm.sqlite.emit(Notes.source, SchemaOptions())
    #expect(emitted.text == Self.sqlite)
    #expect(emitted.notes.first == "Note.key: the id is made from it, and no field keeps it")
    let lists = emitted.notes.dropFirst().map { $0.prefix { $0 != ":" } }
    #expect(lists == ["Note.place", "Note.tags", "Note.words"])
  }

  @Test func `SQLite takes its tables, and refuses a row with a value of another type`() throws {
    let script = """
      import sqlite3, sys
      database = sqlite3.connect(':memory:')
      database.executescript('PRAGMA foreign_keys = ON;' + sys.argv[1])
      row = 'INSERT INTO notes (id, createdAt, done, folderId, rank, title) VALUES (?, ?, ?, ?, ?, ?)'
      database.execute("INSERT INTO folders VALUES ('f', 1)")
      database.execute(row, ('a', '2026-01-01T00:00:00Z', 1, 'f', 3, 'one'))
      for wrong in [('b', '', 2, 'f', 3, 'two'), ('b', '', 1, 'g', 3, 'two'),
                    ('b', '', 1, 'f', 'x', 'two'), ('b', '', 1, 'f', 3, None),
                    ('b', '', 1, 'f', 3, 'one')]:
        try:
          database.execute(row, wrong)
          print('taken', wrong)
        except sqlite3.Error:
          print('refused')
      """
    let text = SchemaForm.sqlite.emit(Notes.source, SchemaOptions()).text
    let answer = try RealServer.output("/usr/bin/env", ["python3", "-c", script, text])
    #expect(answer.split(separator: "\n") == Array(repeating: "refused", count: 5))
  }

  private static let postgreSQL = """
    -- Tables for the records of a store, made by “ferry schema emit --for postgresql”.
    -- The profile is that of “ferry init --preset postgresql”, with this “api”:
    -- api:
    --   preset: postgresql
    --   names: snake_case
    --   entities:
    --     "Folder": { collection: "folders", body: { "stored_id": "id" } }
    --     "Tag": { collection: "tags" }
    --     "Note": { collection: "notes" }
    -- A connection that is no user's has no auth.uid(): send "owner": { constant: USER-ID } \
    in each “body”.

    BEGIN;

    CREATE TABLE "folders" (
      "id" uuid PRIMARY KEY,
      "owner" uuid NOT NULL DEFAULT auth.uid() REFERENCES auth.users (id) ON DELETE CASCADE,
      "stored_id" integer
    );
    CREATE INDEX ON "folders" ("owner");
    ALTER TABLE "folders" ENABLE ROW LEVEL SECURITY;
    CREATE POLICY "rows of their owner" ON "folders" FOR ALL TO authenticated
      USING ("owner" = (SELECT auth.uid())) WITH CHECK ("owner" = (SELECT auth.uid()));

    CREATE TABLE "tags" (
      "id" uuid PRIMARY KEY,
      "owner" uuid NOT NULL DEFAULT auth.uid() REFERENCES auth.users (id) ON DELETE CASCADE,
      "name" text
    );
    CREATE INDEX ON "tags" ("owner");
    ALTER TABLE "tags" ENABLE ROW LEVEL SECURITY;
    CREATE POLICY "rows of their owner" ON "tags" FOR ALL TO authenticated
      USING ("owner" = (SELECT auth.uid())) WITH CHECK ("owner" = (SELECT auth.uid()));

    CREATE TABLE "notes" (
      "id" uuid PRIMARY KEY,
      "owner" uuid NOT NULL DEFAULT auth.uid() REFERENCES auth.users (id) ON DELETE CASCADE,
      "local_id" uuid NOT NULL,
      "body" bytea,
      "created_at" timestamptz NOT NULL,
      "done" boolean NOT NULL,
      "folder" uuid NOT NULL REFERENCES "folders",
      "parent" uuid REFERENCES "notes",
      "place" jsonb,
      "price" numeric,
      "rank" smallint NOT NULL,
      "score" double precision,
      "tags" uuid[],
      "title" text NOT NULL,
      "twin_id" uuid,
      "words" text[],
      UNIQUE ("owner", "title")
    );
    CREATE INDEX ON "notes" ("owner");
    CREATE INDEX ON "notes" ("folder");
    CREATE INDEX ON "notes" ("parent");
    CREATE INDEX ON "notes" USING gin ("tags");
    ALTER TABLE "notes" ENABLE ROW LEVEL SECURITY;
    CREATE POLICY "rows of their owner" ON "notes" FOR ALL TO authenticated
      USING ("owner" = (SELECT auth.uid())) WITH CHECK ("owner" = (SELECT auth.uid()));

    COMMIT;

    """

  private static let sqlite = """
    -- Tables for the records of a store, by “ferry schema emit --for sqlite”.
    -- SQLite 3.37 or later checks the types.

    BEGIN;

    CREATE TABLE "folders" (
      "id" TEXT NOT NULL PRIMARY KEY,
      "stored_id" INTEGER
    ) STRICT;

    CREATE TABLE "tags" (
      "id" TEXT NOT NULL PRIMARY KEY,
      "name" TEXT
    ) STRICT;

    CREATE TABLE "notes" (
      "id" TEXT NOT NULL PRIMARY KEY,
      "body" TEXT,
      "createdAt" TEXT NOT NULL,
      "done" INTEGER NOT NULL CHECK ("done" IN (0, 1)),
      "folderId" TEXT NOT NULL REFERENCES "folders",
      "parentId" TEXT REFERENCES "notes",
      "price" TEXT,
      "rank" INTEGER NOT NULL,
      "score" REAL,
      "title" TEXT NOT NULL,
      "twinID" TEXT,
      UNIQUE ("title")
    ) STRICT;
    CREATE INDEX "notes_folderId" ON "notes" ("folderId");
    CREATE INDEX "notes_parentId" ON "notes" ("parentId");

    COMMIT;

    """
}
