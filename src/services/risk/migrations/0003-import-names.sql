-- An import that has not finished is in the state `importing`, and counts the members it has imported so far.
alter table risk_versions rename column landed to imported;
alter table risk_versions drop constraint risk_versions_state_check;
drop index risk_versions_landing;
update risk_versions set state = 'importing' where state = 'landing';
alter table risk_versions add constraint risk_versions_state_check
  check (state in ('importing', 'ready', 'discarded'));
create unique index risk_versions_importing on risk_versions (set_name, source) where state = 'importing';
