-- Who keeps credentials in memory is told what happened to the sign-in, the member or the workspace they come of, each on a
-- channel of its own.
create or replace function tell_grant_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('sign_ins', encode(old.digest, 'hex'));
  return null;
end $$;

drop trigger role_changed on members;
drop function tell_role_changed;
create function notify_member_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('members', old.org || ' ' || old.user_id);
  return null;
end $$;
create trigger member_notified after update or delete on members
  for each row execute function notify_member_changed();

create or replace function tell_workspace_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('workspaces', old.id);
  return null;
end $$;

-- An entry of the trail says what changed, and of a credential without a person which one it was.
alter table audit
  alter user_id drop not null,
  alter email drop not null,
  add changes jsonb;
