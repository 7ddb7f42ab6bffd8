-- Every listing reads a range of an index, so that its cost does not depend on how many rows there are.

alter table audit drop constraint audit_pkey, add primary key (org, id);
drop index audit_by_org;
create index audit_by_user on audit (org, user_id, id);
create index audit_by_what on audit (org, what, id);
create index audit_by_time on audit (org, at);

-- Members are listed by address, which is stored with them. The reference keeps it equal to that of the account.
-- A change of the address is not notified, like before; what caches have of it they keep for up to 30 seconds.
drop trigger member_notified on members;
create trigger role_notified after update on members
  for each row when (old.role is distinct from new.role) execute function notify_member_changed();
create trigger leaver_notified after delete on members for each row execute function notify_member_changed();
alter table users add unique (id, email);
alter table members add email text collate "C";
update members set email = users.email from users where users.id = user_id;
alter table members
  alter email set not null,
  drop constraint members_user_id_fkey,
  add foreign key (user_id, email) references users (id, email) on update cascade on delete cascade;
create index members_by_email on members (org, email);

-- Listings sort by bytes, whatever the collation of the database.
create index orgs_by_slug on orgs (slug collate "C");
create index apps_by_id on apps (org, id collate "C", brand collate "C");
drop index apps_by_org;

-- A grant is listed as a sign-in once it has tokens. Then its organisation and the time of the sign-in are stored with
-- it. No index depends on `consumed`: using a refresh token sets it, and would have to update that index.
alter table oidc add signed_in timestamptz;
update oidc set signed_in = to_timestamp((payload->>'iat')::bigint), org = coalesce(oidc.org, apps.org)
  from apps
  where model = 'Grant' and consumed is not null and apps.brand = oidc.brand and apps.id = oidc.client
    and (oidc.org is not null or not apps.chooses);
drop index oidc_by_org;
create index oidc_by_org on oidc (org, signed_in, digest) where org is not null;
create index oidc_by_person on oidc (user_id, org, signed_in, digest) where signed_in is not null;
