-- Who it was, as they were called then: the trail outlives the person.
alter table audit add email text not null default '';
alter table audit alter email drop default;
update audit set email = users.email from users where users.id = audit.user_id;

-- Nothing in the trail is changed or taken out, except with the whole organisation: such a delete comes from another
-- trigger, the one of the foreign key.
create function keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and pg_trigger_depth() > 1 then return old; end if;
  raise exception 'the audit trail is only ever added to';
end $$;
create trigger audit_is_kept before update or delete on audit for each row execute function keep_audit();
create function keep_whole_audit() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is only ever added to';
end $$;
create trigger whole_audit_is_kept before truncate on audit for each statement execute function keep_whole_audit();
