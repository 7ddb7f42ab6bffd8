-- A purge deletes hundreds of entries at once, and asking for the organisation of each took most of its time. It is asked
-- once for all entries of a statement.
create function keep_audit_of_live() returns trigger language plpgsql as $$
begin
  if exists (select from gone where not exists (select from orgs where slug = gone.org and deleted is not null)) then
    raise exception 'the audit trail is only ever added to';
  end if;
  return null;
end $$;
create or replace function keep_audit() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is only ever added to';
end $$;
drop trigger audit_is_kept on audit;
create trigger audit_is_kept before update on audit for each row execute function keep_audit();
create trigger audit_of_live_is_kept after delete on audit referencing old table as gone
  for each statement execute function keep_audit_of_live();
