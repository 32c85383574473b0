import ProfileDrafting
package import SchemaEmission
import StoreFiles
package import StoreReading

/// Describes a store's records to a backend.
package enum SchemaStage {
  /// Reads the model and every row of a store, and describes what its records hold.
  package static func run(
    store path: String,
    options: Source.Options,
    form: SchemaForm,
    _ choices: SchemaOptions
  ) throws -> EmittedSchema {
    let opened = try OpenedSource(path, options: options)
    let draft = try DraftStage.draft(of: opened, basis: .rows)
    let source = SchemaSource(
      model: opened.source.store.model,
      identities: draft.identities,
      records: draft.records
    )
    return form.emit(source, choices)
  }
}
