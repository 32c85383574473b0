-- The tables of Samples/datasette/profile.yaml: sqlite3 stories.db < tables.sql
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  title TEXT,
  eventDescription TEXT,
  promptSeed TEXT,
  category TEXT,
  ageRange TEXT,
  tone TEXT,
  createdAt TEXT,
  iconName TEXT,
  colorHex TEXT,
  usageCount INTEGER,
  isFavorite INTEGER,
  isAIEnhanced INTEGER
);
CREATE TABLE heroes (
  id TEXT PRIMARY KEY,
  name TEXT,
  primaryTrait TEXT,
  secondaryTrait TEXT,
  appearance TEXT,
  specialAbility TEXT,
  avatarPrompt TEXT,
  createdAt TEXT,
  isActive INTEGER
);
CREATE TABLE stories (
  id TEXT PRIMARY KEY,
  title TEXT,
  content TEXT,
  builtInEvent TEXT,
  estimatedDuration REAL,
  createdAt TEXT,
  playCount INTEGER,
  lastModified TEXT,
  isFavorite INTEGER,
  isGenerated INTEGER,
  audioNeedsRegeneration INTEGER,
  heroId TEXT,
  eventId TEXT
);
