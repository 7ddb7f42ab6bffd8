-- The zone of the days and months in event_counts. When it has changed, those of the former zone are deleted, and those of the new
-- one are added up from the quarters of an hour, in the order of their key.
create table event_zones (
  org text primary key,
  zone text not null,
  state text not null check (state in ('built', 'deleting', 'adding')),
  -- The last quarter of an hour that was added; null if none was.
  scope text,
  dimension smallint,
  at timestamptz,
  value text
);
