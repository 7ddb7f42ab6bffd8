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
