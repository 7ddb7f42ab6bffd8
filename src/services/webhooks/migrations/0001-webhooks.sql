-- Where the events of an organisation are sent.
create table webhooks (
  id text collate "C" primary key,
  org text not null references orgs on delete cascade,
  url text not null,
  events text[] not null,                 -- patterns of subjects; none stands for all
  description text not null,
  status text not null check (status in ('active', 'disabled')),
  secret bytea not null,                  -- sealed
  former bytea,                           -- the secret before, sealed, which signs too until then
  former_until timestamptz,
  created timestamptz not null,
  updated timestamptz not null
);
create index webhooks_by_created on webhooks (org, created desc, id desc);

-- Which process sends to an endpoint. Apart from it, because this changes all the time.
create table webhook_queues (
  webhook text collate "C" primary key references webhooks on delete cascade,
  org text not null,
  due timestamptz,                        -- when there is something to send that the holder does not know of; or null
  holder text,                            -- the process, until then
  until timestamptz,
  failing_since timestamptz,              -- the first failed attempt after the last that succeeded
  is_told boolean not null default false  -- whether the organisation was told of it
) with (fillfactor = 50);
create index webhook_queues_due on webhook_queues (due) where due is not null;
create index webhook_queues_until on webhook_queues (until) where until is not null;

-- What is sent: an event once, however many endpoints get it.
create table webhook_events (
  id uuid primary key,                    -- of version 7, by which the old ones are found
  org text not null,                      -- it may be deleted, see webhook_deleted_orgs
  subject text not null,
  body text not null
);
create index webhook_events_of on webhook_events (org);

-- An event for an endpoint, until it arrived or failed for good: its attempts have the same delivery id, that of the row.
-- The endpoint may be deleted, see webhook_deleted. No foreign keys here and in the log: to check them
-- costs more than anything else in the insertion. The beginning of an attempt changes no column of an index, and finds space in
-- the same page.
create table webhook_pending (
  id uuid primary key,                    -- of version 7, by which the old ones are found
  webhook text collate "C" not null,
  event uuid not null,
  attempts smallint not null default 0,
  attempts_max smallint not null,
  due timestamptz not null,               -- of the next attempt, or of the one that runs
  started timestamptz,                    -- of the attempt that runs; null if none does
  resend_of uuid
) with (fillfactor = 50);
create index webhook_pending_due on webhook_pending (webhook, due);

-- The log: attempts that have ended.
create table webhook_attempts (
  delivery uuid not null,
  attempt smallint not null,
  webhook text collate "C" not null,
  event uuid not null,
  subject text not null,
  created timestamptz not null,
  status text not null check (status in ('ok', 'retrying', 'failed')),
  http_status smallint,
  error text,
  response text not null default '',      -- the beginning of the body
  duration_ms integer not null,
  resend_of uuid,
  is_resendable boolean not null,         -- it failed as the last of its delivery, which is no test and was not sent again
  primary key (delivery, attempt)
);
create unique index webhook_attempts_ok on webhook_attempts (delivery) where status = 'ok';
-- A list of all is one of each status.
create index webhook_attempts_listed on webhook_attempts (webhook, status, created desc, delivery desc, attempt desc);
create index webhook_attempts_of_subjects on webhook_attempts
  (webhook, subject, status, created desc, delivery desc, attempt desc);
create index webhook_attempts_resendable on webhook_attempts (webhook, created, delivery) where is_resendable;

-- How many deliveries ended, by day.
create table webhook_days (
  webhook text collate "C" not null,
  day date not null,
  deliveries integer not null,
  failures integer not null,
  primary key (webhook, day)
);

-- Endpoints that are deleted, by themselves or with their organisation. Their deliveries are not yet: there may be millions.
create table webhook_deleted (
  webhook text collate "C" primary key
);
create function remember_deleted_webhook() returns trigger language plpgsql as $$
begin
  insert into webhook_deleted (webhook) values (old.id);
  return null;
end $$;
create trigger webhook_was_deleted after delete on webhooks for each row execute function remember_deleted_webhook();

-- Organisations that are deleted, whose events are not yet.
create table webhook_deleted_orgs (
  org text primary key
);
