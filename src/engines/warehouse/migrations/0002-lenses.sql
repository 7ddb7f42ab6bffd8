-- A consumer may append an event again, which is then recognised by its time of arrival and its id.
drop index events_age;
create unique index events_once on events (org, received, id);

-- Null in rows that a former version wrote, until they are counted.
alter table events
  add column arrival bigint, -- the order in which the events of an organisation arrived
  add column visitor text,
  add column session uuid,
  add column path text,
  add column source text,
  add column campaign text,
  add column country text,
  add column device text,
  add column browser text,
  add column system text,
  add column release text;
create sequence events_arrival;
create index events_time on events (org, timestamp, arrival);
create index events_uncounted on events (org, received, id) where visitor is null;
create index events_errors_alike on events (org, fingerprint, timestamp desc, received desc, id) where fingerprint is not null;

-- From when on an id stands for the visitor `joined_to`.
create table event_joins (
  org text not null,
  id text not null,
  at timestamptz not null,
  joined_to text not null,
  primary key (org, id, at)
);
create index event_joins_to on event_joins (org, joined_to);

create table event_sessions (
  org text not null,
  id uuid not null,
  project text,
  workspace text,
  -- The visitor with the project and the workspace; null if the SDK named the session.
  holder text,
  first timestamptz not null,
  last timestamptz not null,
  pageviews int not null,
  primary key (org, id)
);
create index event_sessions_holder on event_sessions (org, holder, first) where holder is not null;
create index event_sessions_time on event_sessions (org, first);

-- What was counted, as it was appended. A scope is the whole organisation (''), one of its projects (p:) or workspaces (w:).
-- `at` is a quarter of an hour.
create table event_deltas (
  org text not null,
  id bigint generated always as identity,
  scope text not null,
  dimension smallint not null,
  at timestamptz not null,
  value text not null,
  events bigint not null,
  pageviews bigint not null,
  sessions bigint not null,
  bounces bigint not null,
  ms bigint not null,
  amount numeric not null,
  first timestamptz not null,
  last timestamptz not null,
  visitors bytea not null,
  primary key (org, id)
);
create index event_deltas_time on event_deltas (org, scope, dimension, at);

-- The same, added up: by quarters of an hour (level 0), and by days (1) and months (2) of the organisation's zone. `people` is
-- how many distinct visitors there are in the set `visitors`, and in `sketch`, an estimate that is read faster. The first is null if they are
-- too many to be exact, the second if they are few.
create table event_counts (
  org text not null,
  scope text not null,
  dimension smallint not null,
  level smallint not null,
  at timestamptz not null,
  value text not null,
  events bigint not null,
  pageviews bigint not null,
  sessions bigint not null,
  bounces bigint not null,
  ms bigint not null,
  amount numeric not null,
  first timestamptz not null,
  last timestamptz not null,
  people bigint not null,
  visitors bytea,
  sketch bytea,
  primary key (org, scope, dimension, level, at, value)
) with (toast_tuple_target = 256);
-- Hashes cannot be compressed.
alter table event_counts alter column visitors set storage external, alter column sketch set storage external;

-- The errors with the same fingerprint.
create table event_errors (
  org text not null,
  scope text not null,
  fingerprint text not null,
  first timestamptz not null,
  last timestamptz not null,
  -- The newest of them.
  example text not null,
  example_received timestamptz not null,
  releases text[] not null,
  primary key (org, scope, fingerprint)
);
