-- What was sealed under which root key: one text, sealed when the database was new, that a start must be able to open.
create table root_key (
  one boolean primary key default true check (one),
  proof bytea not null
);

alter table orgs add updated timestamptz;
update orgs set updated = created;
alter table orgs alter updated set not null;
