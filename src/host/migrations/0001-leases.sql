-- Who does what only one process may do at a time, and until when at most.
create table leases (
  name text primary key,
  holder text not null,
  until timestamptz not null
);
