// The files of Schemas/published and Schemas/upgrades, byte for byte.
//
// The compiler of C takes them as they are, in no time; a constant of Swift with as many numbers takes a
// minute. Nothing lists a folder's files, so this does, by hand; a test holds the list against the folders.
#include "CPublishedSchemas.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct PublishedFile schemas[] = {
  {"ferry.GameResult.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.GameResult.v1.schema.json" suffix(, 0)
  }},
  {"ferry.GameStreak.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.GameStreak.v1.schema.json" suffix(, 0)
  }},
  {"ferry.UndescribedResult.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.UndescribedResult.v1.schema.json" suffix(, 0)
  }},
  {"ferry.decisions.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.decisions.v1.schema.json" suffix(, 0)
  }},
  {"ferry.fleet.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.fleet.v1.schema.json" suffix(, 0)
  }},
  {"ferry.game.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.game.v1.schema.json" suffix(, 0)
  }},
  {"ferry.write-back.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.write-back.v1.schema.json" suffix(, 0)
  }},
  {"ferry.inspection.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.inspection.v1.schema.json" suffix(, 0)
  }},
  {"ferry.manifest.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.manifest.v1.schema.json" suffix(, 0)
  }},
  {"ferry.profile.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.profile.v1.schema.json" suffix(, 0)
  }},
  {"ferry.quarantine.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.quarantine.v1.schema.json" suffix(, 0)
  }},
  {"ferry.quarantined.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.quarantined.v1.schema.json" suffix(, 0)
  }},
  {"ferry.report.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.report.v1.schema.json" suffix(, 0)
  }},
  {"ferry.upgrades.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.upgrades.v1.schema.json" suffix(, 0)
  }},
  {"ferry.verdict.v1.schema.json", (const char[]){
#embed "../../Schemas/published/ferry.verdict.v1.schema.json" suffix(, 0)
  }},
  {"infinite-stories.CustomStoryEvent.v1.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.CustomStoryEvent.v1.schema.json" suffix(, 0)
  }},
  {"infinite-stories.CustomStoryEvent.v2.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.CustomStoryEvent.v2.schema.json" suffix(, 0)
  }},
  {"infinite-stories.CustomStoryEvent.v3.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.CustomStoryEvent.v3.schema.json" suffix(, 0)
  }},
  {"infinite-stories.Hero.v1.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.Hero.v1.schema.json" suffix(, 0)
  }},
  {"infinite-stories.Hero.v2.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.Hero.v2.schema.json" suffix(, 0)
  }},
  {"infinite-stories.Hero.v3.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.Hero.v3.schema.json" suffix(, 0)
  }},
  {"infinite-stories.HeroVisualProfile.v2.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.HeroVisualProfile.v2.schema.json" suffix(, 0)
  }},
  {"infinite-stories.Story.v1.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.Story.v1.schema.json" suffix(, 0)
  }},
  {"infinite-stories.Story.v2.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.Story.v2.schema.json" suffix(, 0)
  }},
  {"infinite-stories.Story.v3.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.Story.v3.schema.json" suffix(, 0)
  }},
  {"infinite-stories.StoryIllustration.v1.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.StoryIllustration.v1.schema.json" suffix(, 0)
  }},
  {"infinite-stories.StoryIllustration.v2.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.StoryIllustration.v2.schema.json" suffix(, 0)
  }},
  {"infinite-stories.StoryIllustration.v3.schema.json", (const char[]){
#embed "../../Schemas/published/infinite-stories.StoryIllustration.v3.schema.json" suffix(, 0)
  }},
  {"noted.LocalNote.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.LocalNote.v1.schema.json" suffix(, 0)
  }},
  {"noted.LocalNoteImage.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.LocalNoteImage.v1.schema.json" suffix(, 0)
  }},
  {"noted.LocalNotebook.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.LocalNotebook.v1.schema.json" suffix(, 0)
  }},
  {"noted.NoteEntity.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.NoteEntity.v1.schema.json" suffix(, 0)
  }},
  {"noted.NoteEntity.v2.schema.json", (const char[]){
#embed "../../Schemas/published/noted.NoteEntity.v2.schema.json" suffix(, 0)
  }},
  {"noted.NoteTagEntity.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.NoteTagEntity.v1.schema.json" suffix(, 0)
  }},
  {"noted.NotebookEntity.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.NotebookEntity.v1.schema.json" suffix(, 0)
  }},
  {"noted.SyncMetadata.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.SyncMetadata.v1.schema.json" suffix(, 0)
  }},
  {"noted.TagEntity.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.TagEntity.v1.schema.json" suffix(, 0)
  }},
  {"noted.UserEntity.v1.schema.json", (const char[]){
#embed "../../Schemas/published/noted.UserEntity.v1.schema.json" suffix(, 0)
  }},
  {"peated-sqlite.Bottle.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated-sqlite.Bottle.v1.schema.json" suffix(, 0)
  }},
  {"peated-sqlite.CollectionEntry.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated-sqlite.CollectionEntry.v1.schema.json" suffix(, 0)
  }},
  {"peated-sqlite.FeedCache.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated-sqlite.FeedCache.v1.schema.json" suffix(, 0)
  }},
  {"peated-sqlite.OfflineOperation.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated-sqlite.OfflineOperation.v1.schema.json" suffix(, 0)
  }},
  {"peated-sqlite.Tasting.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated-sqlite.Tasting.v1.schema.json" suffix(, 0)
  }},
  {"peated-sqlite.TastingCache.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated-sqlite.TastingCache.v1.schema.json" suffix(, 0)
  }},
  {"peated-sqlite.User.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated-sqlite.User.v1.schema.json" suffix(, 0)
  }},
  {"peated.Bottle.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated.Bottle.v1.schema.json" suffix(, 0)
  }},
  {"peated.BottleList.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated.BottleList.v1.schema.json" suffix(, 0)
  }},
  {"peated.Comment.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated.Comment.v1.schema.json" suffix(, 0)
  }},
  {"peated.PendingMutation.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated.PendingMutation.v1.schema.json" suffix(, 0)
  }},
  {"peated.Tasting.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated.Tasting.v1.schema.json" suffix(, 0)
  }},
  {"peated.Toast.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated.Toast.v1.schema.json" suffix(, 0)
  }},
  {"peated.User.v1.schema.json", (const char[]){
#embed "../../Schemas/published/peated.User.v1.schema.json" suffix(, 0)
  }},
};

static const struct PublishedFile upgrades[] = {
  {"infinite-stories.upgrades.json", (const char[]){
#embed "../../Schemas/upgrades/infinite-stories.upgrades.json" suffix(, 0)
  }},
  {"noted.upgrades.json", (const char[]){
#embed "../../Schemas/upgrades/noted.upgrades.json" suffix(, 0)
  }},
};

struct PublishedFiles published_schemas(void) {
  return (struct PublishedFiles){schemas, sizeof schemas / sizeof *schemas};
}

struct PublishedFiles published_upgrades(void) {
  return (struct PublishedFiles){upgrades, sizeof upgrades / sizeof *upgrades};
}
