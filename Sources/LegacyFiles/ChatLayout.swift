import Files
import ResultGrammar

/// How a whole chat is written, as its heads state.
struct ChatLayout: Hashable {
  let order: ChatDateOrder
  /// Why the order was chosen, where the numbers themselves leave it open.
  let doubt: String?

  /// Looks at heads until the order of their dates is certain.
  ///
  /// A number above 12 is a day. Else the order counts in which the messages do not go back in
  /// time; else, with hours of twelve, the month is taken to come first, and the day without.
  init(of heads: some Sequence<ChatHead>) {
    var asDay = true
    var asMonth = true
    var dayFirst = (last: Int.min, returns: 0)
    var monthFirst = (last: Int.min, returns: 0)
    var hasHalves = false
    var beginsWithYear = false
    for head in heads {
      hasHalves = head.hasHalves
      if head.beginsWithYear {
        beginsWithYear = true
        break
      }
      if head.numbers[0] > 12 { asMonth = false }
      if head.numbers[1] > 12 { asDay = false }
      Self.follow(head.day(.dmy), &dayFirst)
      Self.follow(head.day(.mdy), &monthFirst)
      if !asDay || !asMonth { break }
    }
    if beginsWithYear {
      (order, doubt) = (.ymd, nil)
    } else if asDay != asMonth {
      (order, doubt) = (asDay ? .dmy : .mdy, nil)
    } else if dayFirst.returns != monthFirst.returns {
      (order, doubt) = (dayFirst.returns < monthFirst.returns ? .dmy : .mdy, nil)
    } else {
      order = hasHalves ? .mdy : .dmy
      doubt =
        "no date says whether day or month comes first; the \(hasHalves ? "month" : "day") is "
        + "taken to (--date-order says it)"
    }
  }

  init(order: ChatDateOrder) {
    self.order = order
    doubt = nil
  }

  private static func follow(_ day: CalendarDay?, _ state: inout (last: Int, returns: Int)) {
    guard let day else {
      state.returns += 1
      return
    }
    if day.number < state.last { state.returns += 1 }
    state.last = day.number
  }
}
