-- What a key may be held to, what it has spent, and how it ended; and the sessions of browsers.

alter table keys
  add type text not null default 'secret' check (type in ('secret', 'publishable')),
  add text text check ((text is not null) = (type = 'publishable')), -- the whole key, which is no secret if it is publishable
  add expires timestamptz,
  add limits text[] not null default '{}',
  add budget_month bigint not null default 0,                    -- cents; 0 is no cap
  add budget_total bigint not null default 0,
  add rate int,                                                  -- requests a minute
  add spent bigint not null default 0,                           -- millionths of a cent
  add spent_month bigint not null default 0,
  add month_of date not null default '2000-01-01',               -- the month that `spent_month` is about
  add last_used timestamptz,
  add revoked_at timestamptz,
  add revoked_by text;
alter table keys alter type drop default;

-- A key outlives its holder's membership, revoked, so that it stays listed.
alter table keys
  drop constraint keys_org_user_id_fkey,
  add foreign key (org) references orgs on delete cascade,
  add foreign key (user_id) references users on delete cascade;
create function revoke_keys_of_leaver() returns trigger language plpgsql as $$
begin
  update keys set revoked_at = now() where org = old.org and user_id = old.user_id and revoked_at is null;
  return null;
end $$;
create trigger member_left after delete on members for each row execute function revoke_keys_of_leaver();

drop index keys_by_org;
create index keys_by_age on keys (org, created, id);
create index keys_live on keys (org, user_id) where revoked_at is null;

create table sessions (
  id text primary key,
  org text not null,
  user_id text not null,
  digest bytea not null unique,
  created timestamptz not null,
  expires timestamptz not null,
  foreign key (org, user_id) references members on delete cascade
);
create index sessions_by_member on sessions (org, user_id);
create trigger session_changed after update or delete on sessions for each row execute function tell_key_changed();

-- What a key costs and when it was used is no change of what it may do, and is written far more often.
drop trigger key_changed on keys;
create trigger key_deleted after delete on keys for each row execute function tell_key_changed();
create trigger key_changed
  after update of org, user_id, digest, type, expires, limits, budget_month, budget_total, rate, revoked_at on keys
  for each row execute function tell_key_changed();

-- A role is remembered together with the key or session it came with.
create function tell_member_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('keys', encode(digest, 'hex')) from keys
    where org = old.org and user_id = old.user_id and revoked_at is null;
  perform pg_notify('keys', encode(digest, 'hex')) from sessions where org = old.org and user_id = old.user_id;
  return null;
end $$;
create trigger member_changed after update on members for each row execute function tell_member_changed();
