-- To see whether a deleted organisation has any left.
create index billing_holds_of_orgs on billing_holds (org);
drop index billing_holds_ended;
