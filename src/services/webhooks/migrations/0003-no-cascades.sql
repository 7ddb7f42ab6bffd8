-- Rows of deleted organisations are deleted in small steps; so are those of which events are left.
alter table webhooks drop constraint webhooks_org_fkey, add foreign key (org) references orgs;
insert into orgs (slug, name, created, updated, deleted)
  select org, org, now(), now(), now() from webhook_deleted_orgs on conflict do nothing;
drop table webhook_deleted_orgs;

-- Of endpoints that were deleted before, the organisation is not known; their deliveries are deleted within the hour.
alter table webhook_deleted add org text;
create index webhook_deleted_of on webhook_deleted (org);
drop trigger webhook_was_deleted on webhooks;
drop function remember_deleted_webhook;
