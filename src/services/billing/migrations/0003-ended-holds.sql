-- What a call used is written to its hold, which commits its charge, and is booked right after. `details` is what the service
-- of its product writes then: null while the call runs.
alter table billing_holds add column details jsonb;
create index billing_holds_ended on billing_holds (org) where details is not null;
drop index billing_holds_of_orgs;
