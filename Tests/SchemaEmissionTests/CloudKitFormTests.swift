import SchemaEmission
import Testing

/// The CloudKit Schema Language.
struct CloudKitFormTests {
  @Test func `record types have the preset's types, and are their creator's alone`() {
    let emitted = SchemaForm.cloudkit.emit(Notes.source, SchemaOptions())
    #expect(emitted.text == Self.text)
    #expect(
      emitted.notes == [
        "Note: nothing checks that title is unique",
        "CloudKit requires no field, and a reference says its target in its value",
      ]
    )
  }

  private static let text = """
    DEFINE SCHEMA

        RECORD TYPE Folder (
            "___recordID" REFERENCE QUERYABLE,
            stored_id INT64,
            GRANT CREATE TO "_icloud",
            GRANT READ, WRITE TO "_creator"
        );

        RECORD TYPE Tag (
            "___recordID" REFERENCE QUERYABLE,
            name STRING,
            GRANT CREATE TO "_icloud",
            GRANT READ, WRITE TO "_creator"
        );

        RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE,
            localId STRING,
            body BYTES,
            createdAt TIMESTAMP,
            done INT64,
            folder REFERENCE QUERYABLE,
            parent REFERENCE QUERYABLE,
            place STRING,
            price STRING,
            rank INT64,
            score DOUBLE,
            tags LIST<REFERENCE> QUERYABLE,
            title STRING,
            twinID STRING,
            words LIST<STRING>,
            GRANT CREATE TO "_icloud",
            GRANT READ, WRITE TO "_creator"
        );

    """
}
