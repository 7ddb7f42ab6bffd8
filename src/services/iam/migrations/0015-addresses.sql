-- Links that prove access to a new mailbox. Only the digest of a link is stored.
create table address_changes (
  digest bytea primary key,
  user_id text not null unique references users on delete cascade,
  email text not null check (email = lower(email)),
  expires timestamptz not null
);
create index address_changes_by_end on address_changes (expires);

-- What caches have of a member contains the address.
drop trigger role_notified on members;
create trigger member_notified after update on members
  for each row when (old.role is distinct from new.role or old.email is distinct from new.email)
  execute function notify_member_changed();
