-- Each lane has numbers of its own, so that a reader sees from a missing one that a transaction has not ended yet, or was
-- rolled back, and otherwise waits for nobody. Before, it waited for every transaction that was older than the event.
create index bus_log_numbers on bus_log (lane, position);
do $$
declare
  last bigint;
begin
  for lane_number in 0..15 loop
    execute format('create sequence bus_lane_%s', lane_number);
    select max(position) into last from bus_log where lane = lane_number;
    if last is not null then perform setval(format('bus_lane_%s', lane_number), last); end if;
  end loop;
end $$;
-- Nothing that a consumer has not handled is before its new position; some of what it has may come again.
update bus_positions as p set position = coalesce(
  (select min(l.position) - 1 from bus_log as l where l.lane = p.lane and (l.xid, l.position) > (p.xid, p.position)),
  (select max(l.position) from bus_log as l where l.lane = p.lane),
  0);
drop index bus_log_order;
alter table bus_log alter position drop identity, drop column xid;
