-- The name that the field has for them.
alter table kept_answers rename to idempotency_records;
alter index kept_answers_pkey rename to idempotency_records_pkey;
alter index kept_answers_by_time rename to idempotency_records_by_time;
