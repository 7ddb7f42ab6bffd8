-- When the last event of a session arrived: it is kept as long as its events. Existing ones are kept from now on.
alter table event_sessions add column seen timestamptz not null default now();
alter table event_sessions alter column seen drop default;

-- These indexes are for queries that name their condition. Without it, a plan that expects few rows of an organisation could use them
-- to look up an id, and read all rows of the organisation each time.
drop index event_sessions_time;
create index event_sessions_seen on event_sessions (org, seen) where pageviews >= 0;
drop index event_joins_to;
create index event_joins_to on event_joins (org, joined_to) where length(joined_to) > 0;

-- Each organisation numbers its own events. Those that have a number have one of the sequence, which goes on from the last of them.
create table event_arrivals (
  org text primary key,
  last bigint not null
);
