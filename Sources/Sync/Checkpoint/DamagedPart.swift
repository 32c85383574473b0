/// A part of a checkpoint is not as Ferry wrote it.
///
/// Who knows which file it lies in makes a ``CheckpointError`` of it.
struct DamagedPart: Error {
  /// Which part, and what is the matter with it: “its fact epoch is no number”.
  let reason: String
}
