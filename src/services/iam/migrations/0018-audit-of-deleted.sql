-- The plan of `not exists` looked for the organisation of each entry; this one compares the few organisations of a statement.
create or replace function keep_audit_of_live() returns trigger language plpgsql as $$
begin
  if exists (select org from gone except select slug from orgs where deleted is not null) then
    raise exception 'the audit trail is only ever added to';
  end if;
  return null;
end $$;
