-- The number of a lease grows with every holder, so that a write of one that was taken over can be told. Schedules keep with
-- their lease when they last did all they had to, and when they are due.
alter table leases
  add fence bigint not null default 1,
  add done timestamptz,
  add due timestamptz;
