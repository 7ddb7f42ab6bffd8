-- A consumer may append an event again, which is then recognised by its time of arrival and its id.
drop index events_age;
create unique index events_once on events (org, received, id);
