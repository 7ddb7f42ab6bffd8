-- The zone of the days and months in event_counts. They are complete before `built`; later ones are still being added up.
create table event_zones (
  org text primary key,
  zone text not null,
  built timestamptz not null
);
