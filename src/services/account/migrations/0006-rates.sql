-- The requests of each key with a rate in the last minute, by process and second, and what processes may still make.
-- One row for each key, so that one statement locks, counts and grants. Its size depends on the number of processes, not
-- on the number of requests. A schedule deletes the rows of keys that are no longer used.
create table key_rates (
  key text primary key,
  uses jsonb not null,                    -- [{"by": process, "at": ms since 1970, "count", "spare"}]
  granted int not null,                   -- by the last statement
  ends timestamptz not null               -- no use counts any more
);
create index key_rates_by_end on key_rates (ends);
