-- Every listing reads a range of an index. A key has ended when it was revoked or its owner is no longer a member.
alter table keys add ended boolean not null generated always as (revoked_at is not null or member is null) stored;
create index keys_by_org on keys (org, ended, created, id);
create index keys_by_user on keys (user_id, org, ended, created, id);
-- The keys that work, whose number is bounded, are those that expire after now.
create index keys_by_expiry on keys (org, (coalesce(expires, 'infinity'))) where not ended;
drop index keys_by_age;
drop index keys_live;
