alter table consumer_waiting add column ingested text;
alter table dead_letters add column ingested text;
