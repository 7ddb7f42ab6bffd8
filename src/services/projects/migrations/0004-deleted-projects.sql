-- Every process remembers for a while which projects there are; when one is deleted, all are told. One that is not known
-- yet is looked up.
create function tell_project_deleted() returns trigger language plpgsql as $$
begin
  perform pg_notify('projects', old.org || ' ' || old.slug);
  return null;
end $$;
create trigger project_deleted after delete on projects for each row execute function tell_project_deleted();
