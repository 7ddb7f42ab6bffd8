create table projects (
  org text not null references orgs on delete cascade,
  slug text collate "C" not null,
  name text not null,
  created timestamptz not null,
  updated timestamptz not null,
  primary key (org, slug)
);
