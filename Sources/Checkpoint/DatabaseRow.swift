import GRDB

/// A row of the checkpoint's own database, as opposed to a row of a store.
typealias DatabaseRow = GRDB.Row
