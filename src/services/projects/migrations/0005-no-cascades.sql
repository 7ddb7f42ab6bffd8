-- Rows of deleted organisations are deleted in small steps.
alter table projects drop constraint projects_org_fkey, add foreign key (org) references orgs;
