-- The zone of the days and months in event_counts, and up to when quarters of an hour were added to them. When the zone has changed, they
-- are deleted first ('-infinity').
create table event_zones (
  org text primary key,
  zone text not null,
  added timestamptz not null
);
-- To add the quarters of an hour since then.
create index event_counts_quarters on event_counts (org, at) where level = 0;
