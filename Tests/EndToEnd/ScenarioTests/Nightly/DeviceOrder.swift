/// In which order two devices of one person come to the account.
enum DeviceOrder: CaseIterable, Sendable {
  case firstFirst, secondFirst
  /// The first is killed half way, the second goes whole, and then the first goes on.
  case interleaved
}
