-- What people say and prove about themselves.
alter table users
  add name text not null default '',
  add email_verified timestamptz;         -- when access to the mailbox was proved
update users set email_verified = accepted.at
  from (select on_what, max(at) as at from audit where what = 'invite.accept' group by on_what) as accepted
  where accepted.on_what = users.id;

-- Links to choose a new password. Only the digest of a link is stored: whoever has the link sets the password.
create table resets (
  digest bytea primary key,
  user_id text not null references users on delete cascade,
  created timestamptz not null,
  expires timestamptz not null
);
create index resets_by_user on resets (user_id, created);
create index resets_by_age on resets (created);
