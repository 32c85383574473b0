import Checkpoint
import JSONText
import Records
import UploadPlanning

// What both sides last agreed on about a record, and what a change leaves there.

extension OperationDesk {
}
