-- The warehouse is fed by a consumer, which begins after the last event that was appended to the warehouse when it was accepted.
insert into consumer_positions (consumer, lane, position)
  select 'event.warehouse', lane, coalesce(pg_sequence_last_value('bus_lane_' || lane), 0) from generate_series(0, 15) as lane;
