-- Verified hosts are checked again every day.
alter table domains
  add checked timestamptz,                -- the last look-up of the record of a verified host, after the first
  add missed smallint not null default 0, -- how many daily checks in a row did not find the record
  add lost timestamptz;                   -- when it was taken away, until the owners are told by mail
create index domains_checked on domains (coalesce(checked, verified)) where verified is not null;
create index domains_lost on domains (lost) where lost is not null;
