-- Providers that the operator added; those of the environment are not here. `api_key` is sealed.
create table ai_providers (
  name text primary key,
  kind text not null,
  base_url text not null,
  api_key bytea,
  models jsonb not null,
  created timestamptz not null,
  updated timestamptz not null
);

-- What organisations chose: other names for models, and which models are tried after which.
create table ai_settings (
  org text primary key references orgs (slug) on delete cascade,
  aliases jsonb not null,
  fallbacks jsonb not null
);

-- The log of calls, without their bodies.
create table ai_requests (
  id text primary key,
  org text not null,
  created timestamptz not null,
  key text,
  project text,
  -- As the client named it, and the one that answered if it is another.
  model text not null,
  answered_model text,
  provider text,
  wire text not null,
  streamed boolean not null,
  -- Null if the call succeeded.
  error text,
  -- How many times a provider was asked.
  attempts int not null,
  first_ms int,
  total_ms int not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  estimated boolean not null,
  amount bigint,
  transaction text
);
create index ai_requests_newest on ai_requests (org, created desc, id desc);
create index ai_requests_age on ai_requests (created);
