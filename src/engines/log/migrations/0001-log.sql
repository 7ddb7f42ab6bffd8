-- The events of the bus, in lanes: the events of one organisation are in one lane. Readers go by (xid, position) and only
-- below the oldest transaction that still runs, because a transaction may commit after one with a higher number did.
create table bus_log (
  lane smallint not null,
  xid xid8 not null default pg_current_xact_id(),
  position bigint generated always as identity,
  at timestamptz not null default now(),
  tenant text not null,
  subject text not null,
  envelope text not null
) partition by range (at);

-- Parts are days. What is written before the part of its day was made comes here.
create table bus_log_other partition of bus_log default;
create index bus_log_order on bus_log (lane, xid, position);

-- The last event that a consumer has handled, or passed to bus_waiting.
create table bus_positions (
  consumer text not null,
  lane smallint not null,
  xid xid8 not null,
  position bigint not null,
  primary key (consumer, lane)
);

-- The organisations of which an event failed. The consumer gets their events from bus_waiting, so that the lane goes on.
create table bus_held (
  consumer text not null,
  tenant text not null,
  -- Whether its events are tried one by one, to find the one that fails.
  one_by_one boolean not null default false,
  -- Of its first event alone.
  tries int not null default 0,
  due timestamptz not null,
  error text not null,
  primary key (consumer, tenant)
);
create index bus_held_due on bus_held (consumer, due);

create table bus_waiting (
  consumer text not null,
  tenant text not null,
  xid xid8 not null,
  position bigint not null,
  subject text not null,
  envelope text not null,
  primary key (consumer, tenant, xid, position),
  foreign key (consumer, tenant) references bus_held
);

-- Events that failed too often. A superadmin sees them, and can have them tried again.
create table bus_set_aside (
  id bigint generated always as identity primary key,
  consumer text not null,
  tenant text not null,
  subject text not null,
  envelope text not null,
  error text not null,
  at timestamptz not null
);
create index bus_set_aside_age on bus_set_aside (at);
