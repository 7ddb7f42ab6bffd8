-- Customers are the people of an organisation's own apps. Their accounts are apart from `users`, those of the team: the same
-- address may belong to a member here and to a customer there, and the two accounts have nothing to do with each other.
create table customers (
  id text primary key,                    -- cus_…
  org text not null,                      -- no reference: each registration would lock the row of the organisation
  email text collate "C" not null check (email = lower(email)),
  name text not null default '',
  password text,                          -- a hash; of imported accounts as another system made it
  metadata jsonb not null default '{}',
  email_verified timestamptz,             -- when access to the mailbox was proved
  blocked timestamptz,
  generation int not null default 0,      -- increased by whatever ends all sign-ins, so that none begins from before
  wrong_count int not null default 0,
  wrong_since timestamptz,
  created timestamptz not null,
  updated timestamptz not null,
  signed_in timestamptz,
  unique (org, email)
);
create index customers_by_time on customers (org, created, id);
create index customers_blocked on customers (org, created, id) where blocked is not null;

-- Counting a million rows at each registration would take longer than the rest of it.
create table customer_counts (
  org text primary key,
  count bigint not null
);
create function count_added_customers() returns trigger language plpgsql as $$
begin
  insert into customer_counts as present (org, count) select org, count(*) from added group by org order by org
    on conflict (org) do update set count = present.count + excluded.count;
  return null;
end $$;
create function count_removed_customers() returns trigger language plpgsql as $$
begin
  update customer_counts set count = customer_counts.count - gone.count
    from (select org, count(*) as count from removed group by org) as gone where customer_counts.org = gone.org;
  return null;
end $$;
create trigger customers_added after insert on customers referencing new table as added
  for each statement execute function count_added_customers();
create trigger customers_removed after delete on customers referencing old table as removed
  for each statement execute function count_removed_customers();

-- What a search finds: the beginning of an address, of its domain, and of each word of a name. Whoever has several terms with
-- the prefix of a search is found by the first of them. The others share at least as many characters with the one before, and
-- are kept apart by that number: read one after the other and passed over, they would be as many as the customers who have a
-- name in their address. Few are blocked, so that a search among all and one among the others read the same index.
create table customer_terms (
  org text not null,
  blocked boolean not null,
  term text collate "C" not null,
  shared smallint not null default 0,
  customer text not null,
  primary key (org, shared, term, customer) include (blocked)
);
create index customer_terms_blocked on customer_terms (org, shared, term, customer) where blocked;
create index customer_terms_by_customer on customer_terms (customer);

-- What caches have of a customer ends with a block, with the account, and with its address.
create function notify_customer_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('members', old.org || ' ' || old.id);
  return null;
end $$;
create trigger customer_notified after update on customers for each row
  when (old.blocked is distinct from new.blocked or old.email is distinct from new.email)
  execute function notify_customer_changed();
create trigger customer_left after delete on customers for each row execute function notify_customer_changed();

-- Sign-ins and changes of address are of either.
alter table oidc drop constraint oidc_user_id_fkey;
alter table address_changes drop constraint address_changes_user_id_fkey;
drop index oidc_by_org;
create index oidc_by_org on oidc (org, left(user_id, 4), signed_in, digest) where org is not null;

-- Whom an app admits, and what its tokens are for. Existing apps keep what they had.
alter table apps
  add people text not null default 'team' check (people in ('team', 'users')),
  add sign_up text not null default 'closed' check (sign_up in ('closed', 'invited', 'open')),
  add sign_up_domains text[] not null default '{}',
  add refuses_disposable boolean not null default false,
  add audience text,
  add claims text[] not null default '{}',
  add may_write boolean not null default true,
  add logo text,                           -- a data URL; null for that of the organisation
  add color text;
create index apps_by_audience on apps (rtrim(audience, '/')) where audience is not null;

-- A code that was mailed to an address, for one sign-in in one browser. What a new account gets is kept with it, so that an
-- address that nobody proved has no account.
create table customer_codes (
  interaction bytea primary key,          -- the digest of the sign-in's id
  org text not null,
  email text collate "C" not null,
  purpose text not null check (purpose in ('register', 'sign_in', 'reset', 'verify')),
  code bytea not null,                    -- a MAC: six digits are found by trying
  browser text not null,                  -- the digest of the browser's id
  may_register boolean not null,
  name text not null,
  password text,
  generation int,                         -- of the account whose password was checked before, for `verify`
  tries int not null default 0,
  created timestamptz not null,
  expires timestamptz not null
);
create index customer_codes_by_email on customer_codes (org, email);
create index customer_codes_by_age on customer_codes (created);
