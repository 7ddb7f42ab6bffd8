-- Who was asked to join. Of the link only the digest is kept: whoever has it joins.
create table invites (
  id text primary key,
  org text not null references orgs on delete cascade,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'member')),
  digest bytea not null unique,
  invited_by text not null,               -- the address of who asked them
  created timestamptz not null,
  expires timestamptz not null,
  unique (org, email)
);
create index invites_by_age on invites (org, created, id);

-- Whoever is added or removed in another way is not asked any more.
create function end_invites_of_member() returns trigger language plpgsql as $$
begin
  delete from invites using users
    where users.id = coalesce(new.user_id, old.user_id) and invites.org = coalesce(new.org, old.org)
      and invites.email = users.email;
  return null;
end $$;
create trigger member_was_asked after insert or delete on members
  for each row execute function end_invites_of_member();

-- Mails that were sent, for an hour: so many to an address and so many in all.
create table invite_mails (
  org text not null references orgs on delete cascade,
  email text not null,
  at timestamptz not null
);
create index invite_mails_by_org on invite_mails (org, at);

-- A team's workspace, whose tokens write events of reduced fidelity. The secret they are signed with is sealed.
create table workspaces (
  id text primary key,
  org text not null references orgs on delete cascade,
  name text not null,
  secret bytea not null,
  created timestamptz not null
);
create index workspaces_by_age on workspaces (org, created, id);

-- Processes remember tokens for a while, under the digest of the workspace's id.
create function tell_workspace_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('keys', encode(sha256(convert_to(old.id, 'UTF8')), 'hex'));
  return null;
end $$;
create trigger workspace_ended after delete or update on workspaces for each row execute function tell_workspace_ended();
