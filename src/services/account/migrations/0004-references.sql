-- What a key or a session depends on in tables of another service it refers to, and no trigger of ours is on those: a
-- session ends with the grant it came of, and every session came of one.
drop trigger sign_in_ended on oidc;
drop function end_sessions_of_sign_in;
drop trigger member_left on members;
drop function revoke_keys_of_leaver;
drop trigger member_changed on members;
drop function tell_member_changed;

alter table sessions
  add sign_in_brand text,
  add sign_in_model text generated always as ('Grant') stored;
update sessions set sign_in_brand = oidc.brand from oidc
  where oidc.model = 'Grant' and oidc.digest = sessions.sign_in;
delete from sessions where sign_in_brand is null;
drop index sessions_by_sign_in;
alter table sessions
  alter sign_in set not null,
  alter sign_in_brand set not null,
  add foreign key (sign_in_brand, sign_in_model, sign_in) references oidc on delete cascade;
create index sessions_by_sign_in on sessions (sign_in);

-- A key works while its holder is a member. It outlives the membership, so that it stays listed, but a person who comes back
-- does not get it back: the reference is gone.
alter table keys add member text;
update keys set member = keys.user_id from members where members.org = keys.org and members.user_id = keys.user_id;
alter table keys add foreign key (org, member) references members on delete set null (member);
create index keys_by_member on keys (org, member) where member is not null;
drop trigger key_changed on keys;
create trigger key_changed
  after update of org, user_id, member, digest, type, expires, limits, budget_month, budget_total, rate, revoked_at on keys
  for each row execute function tell_key_changed();
