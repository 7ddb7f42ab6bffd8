-- Links that prove access to a new mailbox. Only the digest of a link is stored.
create table address_changes (
  digest bytea primary key,
  user_id text not null references users on delete cascade,
  email text not null check (email = lower(email)),
  created timestamptz not null,
  expires timestamptz not null
);
create index address_changes_by_user on address_changes (user_id, created);
create index address_changes_by_age on address_changes (created);

-- What caches have of a member contains the address.
drop trigger role_notified on members;
create trigger member_notified after update on members
  for each row when (old.role is distinct from new.role or old.email is distinct from new.email)
  execute function notify_member_changed();

-- Whoever loses the right to invite ends the invites they sent, so that these do not become valid with a later right.
create function end_invites_sent() returns trigger language plpgsql as $$
begin
  delete from invites where org = old.org and invited_by = old.email
    and (tg_op = 'DELETE' or new.role = 'member' or (new.role = 'admin' and invites.role = 'owner'));
  return null;
end $$;
create trigger inviter_changed after update on members
  for each row when (old.role is distinct from new.role) execute function end_invites_sent();
create trigger inviter_left after delete on members for each row execute function end_invites_sent();
