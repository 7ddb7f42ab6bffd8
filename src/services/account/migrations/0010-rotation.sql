-- A key gets a new text, and the one before may work for a while besides. Both are the same row, so that bounds, spending and
-- revocation are shared, and no more than two texts can work. Processes of the version before do not accept the former one.
alter table keys
  add former_digest bytea,                -- of the text that was replaced last; it stays, so that its users are told so
  add former_until timestamptz;           -- how long that works; null if it ended at once
create unique index keys_by_former_digest on keys (former_digest) where former_digest is not null;

-- A notification names a key by the digest of its present text, and concerns both of its texts.
drop trigger key_changed on keys;
create trigger key_changed
  after update of org, user_id, member, digest, former_digest, former_until, type, expires, limits, budget_month, budget_total,
    rate, revoked_at on keys
  for each row execute function tell_key_changed();
