-- Imports of customers. Their lines are done in portions, and each is gone when it is done, unless it could not be.
create table customer_imports (
  id text primary key,                    -- imp_…
  org text not null,
  requested_by text not null,             -- the id of the person
  replaces boolean not null,              -- whether accounts that exist are replaced
  total int not null,
  added int not null default 0,
  replaced int not null default 0,
  failed int not null default 0,
  created timestamptz not null,
  started timestamptz,
  finished timestamptz
);
create index customer_imports_by_org on customer_imports (org, created);
create index customer_imports_by_age on customer_imports (created);

create table customer_import_lines (
  import text not null,
  line int not null,
  org text not null,
  created timestamptz not null,
  record jsonb,                           -- until it is done
  problem text,                           -- why it could not be
  says text,
  email text collate "C",                 -- of a line with a problem, until a customer of that address is deleted
  primary key (import, line)
);
create index customer_import_lines_by_email on customer_import_lines (org, email);
create index customer_import_lines_by_age on customer_import_lines (created);
