import Checkpoint
import Files
import Profiles
import Quarantine
import SchemaValidation
import StoreReading

/// Runs `body` and wraps what the store throws.
func storing<Value>(
  _ body: () throws(StoreError) -> Value
) throws(MigrationError) -> Value {
  do throws(StoreError) { return try body() } catch { throw .store(error) }
}

/// Runs `body` and wraps what the profile throws.
func profiling<Value>(
  _ body: () throws(ProfileError) -> Value
) throws(MigrationError) -> Value {
  do throws(ProfileError) { return try body() } catch { throw .profile(error) }
}

/// Runs `body` and wraps what the file system throws.
func filing<Value>(
  _ body: () throws(FileError) -> Value
) throws(MigrationError) -> Value {
  do throws(FileError) { return try body() } catch { throw .file(error) }
}

/// Runs `body` and wraps what the schemas throw.
func checkingSchemas<Value>(
  _ body: () throws(SchemaError) -> Value
) throws(MigrationError) -> Value {
  do throws(SchemaError) { return try body() } catch { throw .schema(error) }
}

/// Runs `body` and wraps what the checkpoint throws.
func checkpointing<Value>(
  _ body: () throws(CheckpointError) -> Value
) throws(MigrationError) -> Value {
  do throws(CheckpointError) { return try body() } catch { throw .checkpoint(error) }
}

/// Runs `body` and wraps what the quarantine throws.
func quarantining<Value>(
  _ body: () throws(QuarantineError) -> Value
) throws(MigrationError) -> Value {
  do throws(QuarantineError) { return try body() } catch { throw .quarantine(error) }
}
