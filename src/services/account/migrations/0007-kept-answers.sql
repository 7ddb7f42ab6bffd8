-- The answers to requests with an Idempotency-Key, for a day.
create table kept_answers (
  org text not null references orgs on delete cascade,
  operation text not null,
  key bytea not null,                     -- sha256 of the key
  input bytea not null,                   -- MAC of the input and of who sent it, under the root key
  answer text,                            -- its JSON; null if it contained a secret
  made text not null,                     -- what was created
  at timestamptz not null,
  primary key (org, operation, key)
);
create index kept_answers_by_time on kept_answers (at);
