-- Rows of deleted organisations are deleted in small steps. Each kept answer would lock the row of its organisation.
alter table keys drop constraint keys_org_fkey, add foreign key (org) references orgs;
alter table kept_answers drop constraint kept_answers_org_fkey;
