-- Every accepted event. Parts are months by the time of arrival; what is written before the part of its month was made
-- comes into the default part.
create table events (
  received timestamptz not null,
  timestamp timestamptz not null,
  -- Whether the client's time was too far from ours and was replaced.
  clamped boolean not null,
  org text not null,
  project text,
  workspace text,
  id text not null,
  wire text not null,
  event text not null,
  distinct_id text,
  anonymous_id text,
  session_id text,
  revenue double precision,
  currency text,
  -- Of errors only.
  fingerprint text,
  properties jsonb not null
) partition by range (received);
create table events_other partition of events default;

create index events_age on events (org, received);
create index events_errors on events (org, timestamp desc, received desc, id) where fingerprint is not null;
create index events_errors_of_workspaces on events (org, workspace, timestamp desc, received desc, id)
  where fingerprint is not null and workspace is not null;
