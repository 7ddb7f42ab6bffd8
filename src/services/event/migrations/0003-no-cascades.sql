-- Rows of deleted organisations are deleted in small steps; so are those of which events are left.
insert into orgs (slug, name, created, updated, deleted)
  select org, org, noted, noted, noted from event_deletions on conflict do nothing;
drop table event_deletions;
