-- Of events that were sent to ingest: what the warehouse needs besides the envelope, as JSON.
alter table bus_log add column ingested text;
