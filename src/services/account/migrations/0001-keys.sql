-- API keys. Of a secret key only the digest is kept: 256 random bits need no salt and no slow hash.

create table keys (
  id text primary key,
  org text not null,
  user_id text not null,
  name text not null,
  prefix text not null,
  digest bytea not null unique,
  created timestamptz not null,
  foreign key (org, user_id) references members on delete cascade
);
create index keys_by_org on keys (org, id);

-- Every process keeps resolved keys for a while; whatever changes one, even by hand, tells them all.
create function tell_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('keys', encode(old.digest, 'hex'));
  return null;
end $$;
create trigger key_changed after update or delete on keys for each row execute function tell_key_changed();
