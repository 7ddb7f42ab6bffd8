-- Old ids are found by reading the table block by block.
drop index event_ids_age;
