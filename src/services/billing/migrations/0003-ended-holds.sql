-- What a call used is written to its hold, which commits its charge, and is booked right after. `ended` is null while the call
-- runs; `details` is what the service of its product writes.
alter table billing_holds add column ended timestamptz;
alter table billing_holds add column details jsonb;
create index billing_holds_ended on billing_holds (org) where ended is not null;
drop index billing_holds_of_orgs;
