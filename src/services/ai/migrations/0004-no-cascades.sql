-- Rows of deleted organisations are deleted in small steps.
alter table ai_settings drop constraint ai_settings_org_fkey, add foreign key (org) references orgs;
