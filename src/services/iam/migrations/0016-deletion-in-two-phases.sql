-- An organisation is marked first, which ends all access to it; its rows are then deleted in small steps, its own row last.
-- References no longer cascade: whatever would be left is an error then, and never one long statement.
alter table orgs add deleted timestamptz;
create index orgs_deleted on orgs (slug) where deleted is not null;

alter table members drop constraint members_org_fkey, add foreign key (org) references orgs;
alter table apps drop constraint apps_org_fkey, add foreign key (org) references orgs;
alter table invites drop constraint invites_org_fkey, add foreign key (org) references orgs;
alter table invite_mails drop constraint invite_mails_org_fkey, add foreign key (org) references orgs;
alter table workspaces drop constraint workspaces_org_fkey, add foreign key (org) references orgs;
alter table oidc drop constraint oidc_org_fkey;
-- Each entry would lock the row of its organisation.
alter table audit drop constraint audit_org_fkey;

create or replace function keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from orgs where slug = old.org and deleted is not null) then return old; end if;
  raise exception 'the audit trail is only ever added to';
end $$;
