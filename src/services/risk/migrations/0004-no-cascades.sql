-- Rows of deleted organisations are deleted in small steps.
alter table risk_overrides drop constraint risk_overrides_org_fkey, add foreign key (org) references orgs;
