/// Which request of the shell's an event or an effect is about.
package struct FlightID: Hashable, Sendable {
  package let number: Int

  package init(number: Int) { self.number = number }
}

/// What the engine is reported.
///
/// Instants are durations since the run began, never a wall clock.
package enum EngineEvent: Sendable {
  /// The run begins, or goes on.
  case started
  /// The next operations of a phase, in their order, none of them settled.
  case loaded(phase: Int, [Operation], isLast: Bool)
  /// All changes of the last commit are on the disk.
  case committed
  /// The content at the destination for the operations of a flight that asked to read.
  case read(FlightID, [Int64: Reading])
  /// A request was answered, or no one knows.
  case answered(FlightID, BatchAnswer)
  /// What a look-up found for operations whose answer was lost; what it does not speak of stays lost.
  case lookedUp(FlightID, [Int64: LookUpResult])
  /// The look-up or the reading did not come to an answer.
  case readingFailed(FlightID, reason: String, isPassing: Bool, pause: Duration?)
  /// Time went by; sent when an asked-for wake-up is due.
  case woke
  /// The person or the system requests cancellation: finish what is in flight, and send nothing new.
  case interrupted
}

/// What the engine wants done.
package enum EngineEffect: Hashable, Sendable {
  /// Give the next unsettled operations of a phase, behind this number.
  case load(phase: Int, after: Int64, limit: Int)
  /// Write these to the disk, all or none, and say when they are there.
  case commit([OperationChange])
  /// Read the content at the destination for these, before they are decided.
  case read(FlightID, [Operation])
  /// Get the request ready that will carry these, once their intent is on the disk.
  case prepare([Operation])
  /// Send these, in one request.
  case send(FlightID, [Operation])
  /// Find out whether these arrived.
  case lookUp(FlightID, [Operation])
  /// Say `woke` at this time.
  case wake(at: Duration)
  /// The run is over.
  case finish(EngineConclusion)
}

/// How a run ended.
package enum EngineConclusion: Hashable, Sendable {
  /// Every operation is settled.
  case done
  /// A fault that may pass used up its retries; the same command resumes.
  case passingFault(reason: String)
  /// The destination will not serve this account.
  case refused(reason: String)
  /// Asked to stop; the same command resumes.
  case interrupted
}

/// A change of an operation's state that has to be durable.
package enum OperationChange: Hashable, Sendable {
  /// It is about to be sent; `before` is what it will overwrite or remove.
  case begin(Int64, before: [UInt8]?, version: String?)
  /// Where the destination will have it, which is written down before it counts there.
  case stage(Int64, serverID: String, version: String?)
  case confirm(Int64, serverID: String?, version: String?)
  /// The destination has it, under an identity that it chose although the request had chosen one;
  /// `nil` as long as no answer shows that identity, so that what became of it is unknown.
  case displace(Int64, serverID: String?, version: String?, reason: String)
  /// Another device had made the very same before it was sent.
  case adopt(Int64, serverID: String, version: String?)
  case reject(Int64, code: String, reason: String)
  case conflict(Int64, reason: String)
  /// The answer was lost.
  case lose(Int64, reason: String)
  /// It is certain that it never arrived.
  case revoke(Int64)
  /// What it makes is not there, long after its request left: it is planned again, under another key if
  /// there is one.
  case absent(Int64, key: String?)

  /// The operation's number.
  package var operation: Int64 {
    switch self {
    case .begin(let number, _, _), .stage(let number, _, _), .confirm(let number, _, _),
      .displace(let number, _, _, _),
      .adopt(let number, _, _), .reject(let number, _, _), .conflict(let number, _),
      .lose(let number, _),
      .revoke(let number), .absent(let number, _):
      number
    }
  }
}

/// What reading the destination says about an operation that is to change a record there.
package enum Reading: Hashable, Sendable {
  /// The record is as expected: send, and keep `before` so that it can be put back.
  case ready(before: [UInt8], version: String?)
  /// The record already is what the operation would make of it (or is already gone).
  case alreadyDone(version: String?)
  /// Another device changed it, or it is gone.
  case conflicted(reason: String)
  /// The request cannot be written.
  case refused(code: String, reason: String)
  /// The destination failed to say, which may have to do with this record alone. What is unanswered came
  /// to no answer at all; where records of its kind are listed right after, the destination is at work.
  case failed(reason: String, isUnanswered: Bool, areListed: Bool = false)
  /// It was not asked for, or what was read is too old by now, as the reading of another failed or waited.
  case unasked
}

extension Reading {
  /// Whether the destination said something.
  var isAnswered: Bool {
    switch self {
    case .ready, .alreadyDone, .conflicted, .refused: true
    case .failed, .unasked: false
    }
  }
}

/// What a look-up says about an operation whose answer was lost.
package enum LookUpResult: Hashable, Sendable {
  /// It arrived: the record is as sent; after a removal, the record is gone.
  case found(serverID: String, version: String?)
  /// It arrived, and the destination gave the record an identity of its own, although the request chose one.
  case displaced(serverID: String, version: String?, reason: String)
  /// The very same is there, and another made it: it never arrived, and need not be sent.
  case replaced(serverID: String, version: String?)
  /// It never arrived; it is planned again.
  case notThere
  /// A record of its identity is there, and it is not what was sent.
  case different(reason: String)
  /// The destination failed to say, at this record alone: it stays lost.
  case failed(reason: String)
}
