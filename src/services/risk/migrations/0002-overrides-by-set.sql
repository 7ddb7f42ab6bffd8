-- What an organisation says is remembered by set, so a change tells which set it is of. Neither name has a space in it.
create or replace function tell_override_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('risk_overrides', coalesce(new.org, old.org) || ' ' || coalesce(new.set_name, old.set_name));
  return null;
end $$;
