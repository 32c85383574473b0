import Profiles
import Records

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The profile in `Samples`, and the models of the app it describes.
enum ShippedProfile {
  static let entities = [
    "CustomStoryEvent", "Hero", "HeroVisualProfile", "Story", "StoryIllustration",
  ]

  static func read(_ name: String = "profile.yaml") throws -> Profile {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = root.appending(path: "Samples/infinite-stories/\(name)").path()
    return try Profile(yaml: Array(Data(contentsOf: URL(filePath: path))), path: path)
  }

  /// The model before any server, or with sync fields.
  static func model(hasSync: Bool) -> StoreModel {
    StoreModel(
      origin: .store,
      entities: [
        entity("CustomStoryEvent", event, hasSync, toOne: []),
        entity("Hero", hero, hasSync, toOne: [("visualProfile", "HeroVisualProfile")]),
        entity("HeroVisualProfile", visualProfile, false, toOne: [("hero", "Hero")]),
        entity(
          "Story",
          story,
          hasSync,
          toOne: [("customEvent", "CustomStoryEvent"), ("hero", "Hero")]
        ),
        entity("StoryIllustration", illustration, hasSync, toOne: [("story", "Story")]),
      ]
    )
  }

  private static func entity(
    _ name: EntityName,
    _ attributes: String,
    _ hasSync: Bool,
    toOne: [(String, EntityName)]
  ) -> StoreEntity {
    var words = attributes.split(separator: " ").map(String.init)
    if hasSync {
      words += sync.split(separator: " ").map(String.init)
      if name == "Hero" { words += ["id:u", "backendId:s"] }
      if name == "Story" { words += ["backendId:s", "customEventId:s"] }
    }
    return StoreEntity(
      name: name,
      attributes: words.map(attribute),
      relationships: toOne.map { StoreRelationship(name: $0.0, destination: $0.1, inverse: "x") }
    )
  }

  private static func attribute(_ word: String) -> StoreAttribute {
    let parts = word.split(separator: ":").map(String.init)
    let kind: StoreAttribute.Kind =
      switch parts.last {
      case "u": .uuid
      case "d": .date
      case "i": .integer64
      case "r": .double
      case "b": .boolean
      case "x": .binary
      case "t": .transformable(transformer: nil, valueClass: nil)
      case "e":
        .composite([StoreAttribute(name: parts[0], kind: .string)], isEnumeration: true)
      default: .string
      }
    return StoreAttribute(name: parts[0], kind: kind)
  }

  private static let sync =
    "serverId:s serverSyncStatus:e lastSyncedAt:d serverUpdatedAt:d pendingChanges:x syncError:s"
  private static let event =
    """
    id:u title:s eventDescription:s promptSeed:s category:e ageRange:e tone:e keywords:t \
    iconName:s colorHex:s createdAt:d lastUsed:d usageCount:i isAIEnhanced:b isFavorite:b \
    pictogramPath:s pictogramPrompt:s pictogramGeneratedAt:d pictogramStyle:e \
    pictogramFailureCount:i lastPictogramError:s
    """
  private static let hero =
    """
    name:s primaryTrait:e secondaryTrait:e appearance:s specialAbility:s createdAt:d isActive:b \
    avatarImagePath:s avatarPrompt:s avatarGeneratedAt:d avatarGenerationId:s
    """
  private static let visualProfile =
    """
    id:u hairColor:s hairStyle:s eyeColor:s skinTone:s clothingStyle:s clothingColors:s \
    distinctiveFeatures:s bodyType:s ageAppearance:s artStyle:s colorPalette:s \
    lightingPreference:s canonicalPrompt:s simplifiedPrompt:s createdAt:d lastUpdated:d \
    extractionMethod:s
    """
  private static let story =
    """
    id:u title:s content:s builtInEvent:e createdAt:d audioFileName:s isGenerated:b isFavorite:b \
    playCount:i estimatedDuration:r audioNeedsRegeneration:b lastModified:d
    """
  private static let illustration =
    """
    id:u timestamp:r imagePrompt:s imagePath:s displayOrder:i isGenerated:b createdAt:d \
    textSegment:s lastError:s errorType:s retryCount:i failedAt:d generationId:s \
    previousGenerationId:s
    """
}
