-- The journal. Amounts are millionths of a cent. Every organisation has three accounts: `balance` is what it has,
-- `credits` what it was given, and `revenue` what it spent. A transfer takes from one and adds to another, so that all
-- accounts together are always zero. Nothing refers to the organisations: the journal stays when one is deleted.
create table billing_accounts (
  org text not null,
  kind text not null,
  amount bigint not null,
  primary key (org, kind)
);

create table billing_transfers (
  id text primary key,
  org text not null,
  from_kind text not null,
  to_kind text not null,
  -- Of a call that cost nothing, or whose model has no price, 0.
  amount bigint not null check (amount >= 0),
  created timestamptz not null,
  -- Of usage.
  product text,
  model text,
  key text,
  project text,
  -- Of usage, what was used and the price in force, so that the amount can be derived again. Of credits, the reason.
  metadata jsonb not null
);
create index billing_usage on billing_transfers (org, created desc, id desc) where product is not null;
create index billing_usage_of_keys on billing_transfers (org, key, created desc, id desc) where product is not null;
create index billing_usage_of_projects on billing_transfers (org, project, created desc, id desc)
  where product is not null;
create index billing_usage_of_models on billing_transfers (org, model, created desc, id desc)
  where product is not null;
create index billing_credits on billing_transfers (org, created desc, id desc) where product is null;

create function billing_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'transfers are never changed or deleted';
end $$;
create trigger billing_transfers_are_immutable before update or delete or truncate on billing_transfers
  for each statement execute function billing_refuse();

-- Usage by hour, so that it can be counted without reading every row.
create table billing_hours (
  org text not null,
  hour timestamptz not null,
  product text not null,
  key text not null,
  project text not null,
  model text not null,
  count bigint not null,
  amount bigint not null,
  primary key (org, hour, product, key, project, model)
);

-- Estimates of calls that run. A call renews its hold; one whose process died expires.
create table billing_holds (
  id text primary key,
  org text not null,
  amount bigint not null,
  expires timestamptz not null
);
create index billing_holds_of_orgs on billing_holds (org);
create index billing_holds_expiry on billing_holds (expires);

-- What organisations have chosen; those without a row have the defaults. `month` and `spent` are the UTC month of their
-- last usage, and what they spent in it.
create table billing_orgs (
  org text primary key,
  spend_alerts bigint[] not null default '{}',
  balance_alert bigint,
  month text not null default '',
  spent bigint not null default 0
);
