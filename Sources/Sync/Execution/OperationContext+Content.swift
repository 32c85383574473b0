// What both sides last agreed on about a record, and what a change leaves there.

extension OperationContext {
}
