-- The tables of profile.yaml: psql stories < tables.sql
CREATE TABLE events (
  id uuid PRIMARY KEY,
  title text,
  category text,
  created_at timestamptz,
  is_favorite boolean,
  keywords text[]
);
CREATE TABLE heroes (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  primary_trait text,
  is_active boolean,
  created_at timestamptz
);
CREATE TABLE stories (
  id uuid PRIMARY KEY,
  title text,
  content text,
  duration double precision,
  play_count bigint,
  created_at timestamptz,
  hero_id uuid REFERENCES heroes,
  event_id uuid REFERENCES events
);
