-- The published sets, which belong to nobody and have no tenant: what each publisher supplied last.
create table risk_sources (
  set_name text not null,
  source text not null,
  version_id bigint,                      -- the one that answers; null while there is none
  version text,                           -- digest of its members
  keys int not null default 0,
  as_of timestamptz,                      -- the last take that succeeded, changed or not
  origin text,                            -- where that was taken from
  etag text,
  modified text,                          -- its Last-Modified
  refusal text,                           -- why the last take failed; null when it did not
  primary key (set_name, source)
);

-- Every version there was, for ever. Its members are kept while it answers and while it is the one before.
create table risk_versions (
  id bigint generated always as identity primary key,
  set_name text not null,
  source text not null,
  version text not null,
  raw text not null,                      -- digest of the document as it was published
  keys int not null,
  landed int not null default 0,          -- members written so far
  state text not null check (state in ('landing', 'ready', 'discarded')),
  begun timestamptz not null,
  finished timestamptz
);
create unique index risk_versions_landing on risk_versions (set_name, source) where state = 'landing';
create index risk_versions_by_source on risk_versions (set_name, source, id);

-- Members by the thousand, packed: they are only ever read together.
create table risk_members (
  version_id bigint not null references risk_versions on delete cascade,
  n int not null,
  packed bytea not null,
  primary key (version_id, n)
);

-- Processes keep the sets in memory, and are told when one has changed.
create function tell_risk_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('risk', new.set_name);
  return null;
end $$;
create trigger risk_changed after insert or update on risk_sources for each row execute function tell_risk_changed();

-- What an organisation says about members of a set, for itself alone.
create table risk_overrides (
  org text not null references orgs on delete cascade,
  set_name text not null,
  key text collate "C" not null,
  verdict text not null check (verdict in ('allow', 'deny')),
  note text,
  by text not null,
  at timestamptz not null,
  primary key (org, set_name, key)
);
create function tell_override_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('risk_overrides', coalesce(new.org, old.org));
  return null;
end $$;
create trigger override_changed after insert or update or delete on risk_overrides
  for each row execute function tell_override_changed();
