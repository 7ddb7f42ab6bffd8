-- The ids of events that were accepted in the last week, so that an event that is sent again is not stored again. An id is
-- a hash of the SDK's own.
create table event_ids (
  org text not null,
  id uuid not null,
  at timestamptz not null,
  primary key (org, id)
);
create index event_ids_age on event_ids using brin (at);

-- What organisations have chosen; those without a row have the defaults.
create table event_settings (
  org text primary key references orgs (slug) on delete cascade,
  store_addresses boolean not null,
  scrub boolean not null,
  retention_days int
);

-- Deleted organisations whose events are still there.
create table event_deletions (
  org text primary key,
  noted timestamptz not null default now()
);

-- From which visitors without an id get one. Kept for two days, and then nobody can tell who it was.
create table event_salts (
  day date primary key,
  salt bytea not null
);
