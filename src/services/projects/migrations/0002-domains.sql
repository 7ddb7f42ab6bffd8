-- Hosts attached to projects. A claim blocks nobody; once proved, a host belongs to that project alone.
create table domains (
  org text not null,
  project text collate "C" not null,
  host text collate "C" not null,
  token text not null,                    -- what the TXT record must say
  created timestamptz not null,
  verified timestamptz,
  primary key (org, project, host),
  foreign key (org, project) references projects on delete cascade
);
create unique index domains_verified on domains (host) where verified is not null;

-- Every process remembers for a while which hosts are verified; when one is, or no longer is, all are told.
create function tell_domain_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('domains', coalesce(new.host, old.host));
  return null;
end $$;
create trigger domain_changed after update of verified or delete on domains
  for each row execute function tell_domain_changed();
create trigger domain_added after insert on domains
  for each row when (new.verified is not null) execute function tell_domain_changed();
