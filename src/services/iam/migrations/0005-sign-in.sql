-- What the identity provider keeps: sessions, grants, codes, tokens, interactions. Each under the digest of its id, since
-- most ids are secrets in the hands of a browser or a client.
create table oidc (
  brand text not null,
  model text not null,
  digest bytea not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  user_id text references users on delete cascade,
  client text references apps on delete cascade,
  expires timestamptz,
  consumed timestamptz,
  primary key (brand, model, digest)
);
create index oidc_by_grant on oidc (brand, grant_id) where grant_id is not null;
create index oidc_by_uid on oidc (brand, uid) where uid is not null;
create index oidc_by_end on oidc (expires);
create index oidc_by_user on oidc (user_id, client) where user_id is not null;
create index oidc_by_client on oidc (client) where client is not null;

-- Access tokens are good while their grant is there. Processes remember that for a while, so they are told.
create function tell_grant_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('keys', encode(old.digest, 'hex'));
  return null;
end $$;
create trigger grant_ended after delete on oidc for each row when (old.model = 'Grant')
  execute function tell_grant_ended();

create function end_sign_ins_of_leaver() returns trigger language plpgsql as $$
begin
  delete from oidc using apps where oidc.user_id = old.user_id and apps.id = oidc.client and apps.org = old.org;
  return null;
end $$;
create trigger member_signed_out after delete on members for each row execute function end_sign_ins_of_leaver();

create function tell_role_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('keys', encode(digest, 'hex')) from oidc where user_id = old.user_id and model = 'Grant';
  return null;
end $$;
create trigger role_changed after update on members for each row execute function tell_role_changed();

-- The keys tokens are signed with, sealed. One is published before it signs, and still published after.
create table signing_keys (
  kid text primary key,
  brand text not null,
  alg text not null,
  sealed bytea not null,
  created timestamptz not null,
  signs_from timestamptz not null,
  retired timestamptz                     -- until then it is published
);
create index signing_keys_by_brand on signing_keys (brand, created);
