-- A browser's session comes of a sign-in, by the digest of its grant, and ends with it.
alter table sessions add sign_in bytea;
create index sessions_by_sign_in on sessions (sign_in) where sign_in is not null;

create function end_sessions_of_sign_in() returns trigger language plpgsql as $$
begin
  delete from sessions where sign_in = old.digest;
  return null;
end $$;
create trigger sign_in_ended after delete on oidc for each row when (old.model = 'Grant')
  execute function end_sessions_of_sign_in();
