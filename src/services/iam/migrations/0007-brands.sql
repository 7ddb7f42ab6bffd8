-- Each brand is an origin of its own where people sign in. An app may be registered with several, under the same client id.
create table brands (
  name text primary key,
  served boolean not null default true    -- whether a setting names it now
);
insert into brands values ('default');

alter table oidc drop constraint oidc_client_fkey;
alter table apps
  drop constraint apps_pkey,
  drop constraint apps_org_app_brand_key, -- The id is made of organisation and app, which says the same.
  add primary key (brand, id),
  add foreign key (brand) references brands;
alter table oidc add foreign key (brand, client) references apps on delete cascade;
create index apps_by_org on apps (org, id);

-- To the platform's own app people sign in for an organisation they choose, which is kept with the grant.
alter table apps add chooses boolean not null default false;
alter table oidc add org text references orgs on delete cascade;
create index oidc_by_org on oidc (org) where org is not null;

create or replace function end_sign_ins_of_leaver() returns trigger language plpgsql as $$
begin
  delete from oidc using apps
    where oidc.user_id = old.user_id and apps.brand = oidc.brand and apps.id = oidc.client
      and coalesce(oidc.org, apps.org) = old.org;
  return null;
end $$;

-- A grant is marked when its code is redeemed. Those from before are taken for good.
update oidc set consumed = now() where model = 'Grant';

-- Processes remember apps for a while, so they are told of changes.
create function tell_app_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('apps', old.brand || ' ' || old.id);
  return null;
end $$;
create trigger app_changed after update or delete on apps for each row execute function tell_app_changed();
