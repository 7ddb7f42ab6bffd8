-- The clients of the identity provider: one per app per brand.
create table apps (
  id text primary key,                    -- <org>-<app>, the client id
  org text not null references orgs on delete cascade,
  app text not null,
  brand text not null,
  name text not null,
  type text not null check (type in ('confidential', 'public')),
  redirect_uris text[] not null,
  logout_uris text[] not null,
  secret bytea,                           -- sealed; a public app has none
  created timestamptz not null,
  updated timestamptz not null,
  unique (org, app, brand),
  check ((secret is not null) = (type = 'confidential'))
);
