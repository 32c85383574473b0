/// The published schemas, built into the program byte for byte.
///
/// The build makes one constant of each file in `published`, named like the file with `_` for every
/// character that Swift does not allow. Nothing lists those constants, so this file does, by hand;
/// a test holds the list against the folder.
package enum PublishedSchemas {
  /// Every file of the folder `published`, by name.
  package static let all: [(name: String, bytes: [UInt8])] = [
    ("ferry.GameResult.v1.schema.json", PackageResources.ferry_GameResult_v1_schema_json),
    ("ferry.GameStreak.v1.schema.json", PackageResources.ferry_GameStreak_v1_schema_json),
    (
      "ferry.UndescribedResult.v1.schema.json",
      PackageResources.ferry_UndescribedResult_v1_schema_json
    ),
    ("ferry.decisions.v1.schema.json", PackageResources.ferry_decisions_v1_schema_json),
    ("ferry.fleet.v1.schema.json", PackageResources.ferry_fleet_v1_schema_json),
    ("ferry.game.v1.schema.json", PackageResources.ferry_game_v1_schema_json),
    ("ferry.write-back.v1.schema.json", PackageResources.ferry_write_back_v1_schema_json),
    ("ferry.inspection.v1.schema.json", PackageResources.ferry_inspection_v1_schema_json),
    ("ferry.manifest.v1.schema.json", PackageResources.ferry_manifest_v1_schema_json),
    ("ferry.profile.v1.schema.json", PackageResources.ferry_profile_v1_schema_json),
    ("ferry.quarantine.v1.schema.json", PackageResources.ferry_quarantine_v1_schema_json),
    ("ferry.quarantined.v1.schema.json", PackageResources.ferry_quarantined_v1_schema_json),
    ("ferry.report.v1.schema.json", PackageResources.ferry_report_v1_schema_json),
    ("ferry.upgrades.v1.schema.json", PackageResources.ferry_upgrades_v1_schema_json),
    ("ferry.verdict.v1.schema.json", PackageResources.ferry_verdict_v1_schema_json),
    (
      "infinite-stories.CustomStoryEvent.v1.schema.json",
      PackageResources.infinite_stories_CustomStoryEvent_v1_schema_json
    ),
    (
      "infinite-stories.CustomStoryEvent.v2.schema.json",
      PackageResources.infinite_stories_CustomStoryEvent_v2_schema_json
    ),
    (
      "infinite-stories.CustomStoryEvent.v3.schema.json",
      PackageResources.infinite_stories_CustomStoryEvent_v3_schema_json
    ),
    ("infinite-stories.Hero.v1.schema.json", PackageResources.infinite_stories_Hero_v1_schema_json),
    ("infinite-stories.Hero.v2.schema.json", PackageResources.infinite_stories_Hero_v2_schema_json),
    ("infinite-stories.Hero.v3.schema.json", PackageResources.infinite_stories_Hero_v3_schema_json),
    (
      "infinite-stories.HeroVisualProfile.v2.schema.json",
      PackageResources.infinite_stories_HeroVisualProfile_v2_schema_json
    ),
    (
      "infinite-stories.Story.v1.schema.json",
      PackageResources.infinite_stories_Story_v1_schema_json
    ),
    (
      "infinite-stories.Story.v2.schema.json",
      PackageResources.infinite_stories_Story_v2_schema_json
    ),
    (
      "infinite-stories.Story.v3.schema.json",
      PackageResources.infinite_stories_Story_v3_schema_json
    ),
    (
      "infinite-stories.StoryIllustration.v1.schema.json",
      PackageResources.infinite_stories_StoryIllustration_v1_schema_json
    ),
    (
      "infinite-stories.StoryIllustration.v2.schema.json",
      PackageResources.infinite_stories_StoryIllustration_v2_schema_json
    ),
    (
      "infinite-stories.StoryIllustration.v3.schema.json",
      PackageResources.infinite_stories_StoryIllustration_v3_schema_json
    ),
    ("noted.LocalNote.v1.schema.json", PackageResources.noted_LocalNote_v1_schema_json),
    ("noted.LocalNoteImage.v1.schema.json", PackageResources.noted_LocalNoteImage_v1_schema_json),
    ("noted.LocalNotebook.v1.schema.json", PackageResources.noted_LocalNotebook_v1_schema_json),
    ("noted.NoteEntity.v1.schema.json", PackageResources.noted_NoteEntity_v1_schema_json),
    ("noted.NoteEntity.v2.schema.json", PackageResources.noted_NoteEntity_v2_schema_json),
    ("noted.NoteTagEntity.v1.schema.json", PackageResources.noted_NoteTagEntity_v1_schema_json),
    ("noted.NotebookEntity.v1.schema.json", PackageResources.noted_NotebookEntity_v1_schema_json),
    ("noted.SyncMetadata.v1.schema.json", PackageResources.noted_SyncMetadata_v1_schema_json),
    ("noted.TagEntity.v1.schema.json", PackageResources.noted_TagEntity_v1_schema_json),
    ("noted.UserEntity.v1.schema.json", PackageResources.noted_UserEntity_v1_schema_json),
    ("peated-sqlite.Bottle.v1.schema.json", PackageResources.peated_sqlite_Bottle_v1_schema_json),
    (
      "peated-sqlite.CollectionEntry.v1.schema.json",
      PackageResources.peated_sqlite_CollectionEntry_v1_schema_json
    ),
    (
      "peated-sqlite.FeedCache.v1.schema.json",
      PackageResources.peated_sqlite_FeedCache_v1_schema_json
    ),
    (
      "peated-sqlite.OfflineOperation.v1.schema.json",
      PackageResources.peated_sqlite_OfflineOperation_v1_schema_json
    ),
    ("peated-sqlite.Tasting.v1.schema.json", PackageResources.peated_sqlite_Tasting_v1_schema_json),
    (
      "peated-sqlite.TastingCache.v1.schema.json",
      PackageResources.peated_sqlite_TastingCache_v1_schema_json
    ),
    ("peated-sqlite.User.v1.schema.json", PackageResources.peated_sqlite_User_v1_schema_json),
    ("peated.Bottle.v1.schema.json", PackageResources.peated_Bottle_v1_schema_json),
    ("peated.BottleList.v1.schema.json", PackageResources.peated_BottleList_v1_schema_json),
    ("peated.Comment.v1.schema.json", PackageResources.peated_Comment_v1_schema_json),
    (
      "peated.PendingMutation.v1.schema.json",
      PackageResources.peated_PendingMutation_v1_schema_json
    ),
    ("peated.Tasting.v1.schema.json", PackageResources.peated_Tasting_v1_schema_json),
    ("peated.Toast.v1.schema.json", PackageResources.peated_Toast_v1_schema_json),
    ("peated.User.v1.schema.json", PackageResources.peated_User_v1_schema_json),
  ]

  /// The bytes of the file called `name`, or `nil` when none is published under it.
  package static func bytes(named name: String) -> [UInt8]? {
    all.first { $0.name == name }?.bytes
  }
}
