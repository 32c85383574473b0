import JSONText

extension Table {
  /// The heroes of all accounts.
  static let heroes = Table(
    "heroes",
    [
      Column(name: "name", kind: .string, isRequired: true),
      Column(name: "age", kind: .integer, isRequired: true),
      Column(name: "hairColor", kind: .string),
      Column(name: "eyeColor", kind: .string),
      Column(name: "skinTone", kind: .string),
      Column(name: "height", kind: .string),
      Column(name: "traits", kind: .json, isRequired: true),
      Column(name: "specialAbilities", kind: .json),
      Column(name: "appearance", kind: .string),
      Column(name: "avatarUrl", kind: .string),
      Column(name: "avatarPrompt", kind: .string),
      Column(name: "avatarGenerationId", kind: .string),
      Column(name: "visualProfileId", kind: .string),
    ]
  )

  /// How heroes look in pictures, at most one each.
  static let visualProfiles = Table(
    "visualProfiles",
    showsOwner: false,
    [
      Column(
        name: "heroId",
        kind: .string,
        isRequired: true,
        reference: "UNIQUE REFERENCES heroes(id) ON DELETE CASCADE"
      )
    ]
      + visualTexts.map { Column(name: $0, kind: .string) }
      + [
        Column(name: "age", kind: .integer),
        Column(name: "colorPalette", kind: .json),
        Column(name: "visualKeywords", kind: .json),
      ]
  )

  /// The members of a visual profile that are text.
  static let visualTexts = [
    "hairStyle", "hairColor", "hairTexture", "eyeColor", "eyeShape", "skinTone", "facialFeatures",
    "bodyType", "height", "typicalClothing", "accessories", "artStyle", "canonicalPrompt",
    "simplifiedPrompt",
  ]

  /// The stories of all accounts; they go with their hero.
  static let stories = Table(
    "stories",
    [
      Column(
        name: "heroId",
        kind: .string,
        isRequired: true,
        reference: "REFERENCES heroes(id) ON DELETE CASCADE"
      ),
      Column(name: "title", kind: .string, isRequired: true),
      Column(name: "content", kind: .string, isRequired: true),
      Column(name: "language", kind: .string, isRequired: true, fallback: "en"),
      Column(name: "eventType", kind: .string),
      Column(
        name: "customEventId",
        kind: .string,
        reference: "REFERENCES customEvents(id) ON DELETE SET NULL"
      ),
      Column(name: "audioUrl", kind: .string),
      Column(
        name: "audioGenerationStatus",
        kind: .string,
        isRequired: true,
        fallback: "pending"
      ),
      Column(name: "audioGenerationError", kind: .string),
      Column(name: "audioDuration", kind: .double),
      Column(name: "illustrationStatus", kind: .string, isRequired: true, fallback: "none"),
      Column(name: "illustrationCount", kind: .integer, isRequired: true, fallback: 0),
      Column(name: "isFavorite", kind: .boolean, isRequired: true, fallback: false),
      Column(name: "lastPlayedAt", kind: .instant),
      Column(name: "playCount", kind: .integer, isRequired: true, fallback: 0),
      Column(name: "generationMetadata", kind: .json),
    ]
  )

  /// The story events that people made themselves.
  static let customEvents = Table(
    "customEvents",
    [
      Column(name: "title", kind: .string, isRequired: true),
      Column(name: "description", kind: .string, isRequired: true, fallback: ""),
      Column(name: "promptSeed", kind: .string, isRequired: true),
      Column(name: "category", kind: .string, isRequired: true, fallback: "general"),
      Column(name: "ageRange", kind: .string),
      Column(name: "tone", kind: .string, isRequired: true, fallback: "cheerful"),
      Column(name: "pictogramEmoji", kind: .string),
      Column(name: "pictogramSymbols", kind: .json),
      Column(name: "aiEnhanced", kind: .boolean, isRequired: true, fallback: false),
      Column(name: "aiEnhancementMetadata", kind: .json),
      Column(name: "keywords", kind: .json, fallback: []),
      Column(name: "usageCount", kind: .integer, isRequired: true, fallback: 0),
      Column(name: "isFavorite", kind: .boolean, isRequired: true, fallback: false),
      Column(name: "lastUsedAt", kind: .instant),
    ]
  )

  /// Every table, in the order in which rows can be added.
  static let all = [heroes, visualProfiles, customEvents, stories]
}
