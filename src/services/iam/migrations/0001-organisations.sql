-- People, the organisations they belong to, and the trail of what was done in each.

create table orgs (
  slug text primary key,
  name text not null,
  created timestamptz not null
);

create table users (
  id text primary key,
  email text not null unique check (email = lower(email)),
  password text,                          -- argon2id, in PHC form
  created timestamptz not null
);

create table members (
  org text not null references orgs on delete cascade,
  user_id text not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  created timestamptz not null,
  primary key (org, user_id)
);
create index members_by_user on members (user_id);

create table audit (
  id bigint generated always as identity primary key,
  org text not null references orgs on delete cascade,
  at timestamptz not null,
  user_id text not null,                  -- no reference: the trail outlives the person
  credential text not null,
  what text not null,
  on_what text not null,
  ip text not null,
  request_id text not null
);
create index audit_by_org on audit (org, id);
