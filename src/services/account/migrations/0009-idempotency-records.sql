-- The name that the field has for them.
alter table kept_answers rename to idempotency_records;
alter index kept_answers_pkey rename to idempotency_records_pkey;
alter index kept_answers_by_time rename to idempotency_records_by_time;
-- Processes of the version before write here until they are stopped. The next version can drop it.
create view kept_answers as select * from idempotency_records;
