-- The processes that work on queues, each until it is taken for dead unless it renews that. By the clock of the database.
create table queue_holders (
  holder text primary key,
  until timestamptz not null
);

-- The keys of queues that have jobs or limits of their own. A key is worked on by one process at a time. Apart from its jobs,
-- because this changes all the time; the columns of its indexes do not.
create table queue_keys (
  queue text collate "C" not null,
  key text collate "C" not null,
  org text not null,
  waiting int not null default 0,         -- its jobs, with those that run
  due timestamptz,                        -- when there is something to do that the holder does not know of; or null
  holder text,
  is_paused boolean not null default false,
  concurrency int,                        -- instead of those of the queue
  rate_count int,
  rate_ms int,
  primary key (key, queue)
) with (fillfactor = 50);
create index queue_keys_due on queue_keys (due) where due is not null and not is_paused;
create index queue_keys_held on queue_keys (holder) where holder is not null;
-- Not by the queue first: it would be taken to find one key, and all keys of the queue be read.
create index queue_keys_of_org on queue_keys (org, queue);

-- No foreign keys: to check them costs more than anything else in the insertion. The beginning of an attempt changes no column
-- of an index, and finds space in the same page.
create table queue_jobs (
  id uuid primary key,                    -- of version 7
  queue text collate "C" not null,
  key text collate "C" not null,
  rank smallint not null,                 -- 0 for those that are tried again, then by priority
  due timestamptz not null,               -- of the next attempt, or of the one that runs
  attempts smallint not null default 0,
  attempts_max smallint not null,
  started timestamptz,                    -- of the attempt that runs; null if none does
  expires timestamptz,
  lease text,                             -- of a worker outside, until then
  until timestamptz,
  payload text not null                   -- JSON
) with (fillfactor = 50);
-- Without the queue: keys of several queues are rarely the same.
create index queue_jobs_due on queue_jobs (key, rank, due);
create index queue_jobs_expiry on queue_jobs (expires) where expires is not null;
create index queue_jobs_leased on queue_jobs (until) where until is not null;
