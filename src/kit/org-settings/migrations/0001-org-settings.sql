-- What organisations have chosen, by service: the fields that they set. Others have their defaults.
create table org_settings (
  org text not null references orgs,
  service text not null,
  chosen jsonb not null,
  primary key (org, service)
);

insert into org_settings
  select org, 'event', jsonb_build_object(
    'storeAddresses', store_addresses, 'scrub', scrub, 'retentionDays', retention_days)
  from event_settings;
insert into org_settings
  select org, 'ai', jsonb_build_object('aliases', aliases, 'fallbacks', fallbacks) from ai_settings;
-- What was chosen stays in billing_orgs as well, where charges read it: in millionths of a cent. It may have organisations
-- that were deleted.
insert into org_settings
  select org, 'billing', jsonb_build_object(
    'spendAlerts', (select coalesce(jsonb_agg(alert / 1000000 order by alert), '[]') from unnest(spend_alerts) as alert),
    'balanceAlert', balance_alert / 1000000)
  from billing_orgs join orgs on slug = org and deleted is null where spend_alerts <> '{}' or balance_alert is not null;

-- Processes of the version before still read these tables while processes are upgraded one after the other.
drop table event_settings;
create view event_settings as
  select org, (chosen ->> 'storeAddresses')::boolean as store_addresses, (chosen ->> 'scrub')::boolean as scrub,
    (chosen ->> 'retentionDays')::int as retention_days
  from org_settings where service = 'event';
drop table ai_settings;
create view ai_settings as
  select org, chosen -> 'aliases' as aliases, chosen -> 'fallbacks' as fallbacks from org_settings where service = 'ai';
