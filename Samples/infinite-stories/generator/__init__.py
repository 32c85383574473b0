"""Makes synthetic stores of the app InfiniteStories in the layout SwiftData writes."""
