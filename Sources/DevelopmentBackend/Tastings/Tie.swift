/// What ties a person to another, or to a tasting; it is there or it is not.
enum Tie: String, Sendable, CaseIterable {
  /// A person whom the person follows.
  case friend
  /// A tasting that the person raised a glass to.
  case toast
}
