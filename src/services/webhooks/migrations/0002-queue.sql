-- Deliveries that wait are jobs of a queue of the host.
alter table webhook_events add resends int not null default 0; -- deliveries that wait and send it again

-- Endpoints of which no attempt succeeded since then, and whether the organisation was told.
create table webhook_failures (
  webhook text collate "C" primary key references webhooks on delete cascade,
  since timestamptz not null,
  is_told boolean not null default false
);
insert into webhook_failures (webhook, since, is_told)
  select webhook, failing_since, is_told from webhook_queues where failing_since is not null;

insert into queue_keys (queue, key, org, waiting, due)
  select 'webhooks.deliveries', p.webhook, q.org, count(*), now()
  from webhook_pending as p join webhook_queues as q on q.webhook = p.webhook group by p.webhook, q.org;
insert into queue_jobs (id, queue, key, rank, due, attempts, attempts_max, started, payload)
  select p.id, 'webhooks.deliveries', p.webhook, (p.attempts = 0)::int, p.due, p.attempts, p.attempts_max, p.started,
    json_strip_nulls(json_build_object('event', p.event, 'resendOf', p.resend_of))::text
  from webhook_pending as p join webhook_queues as q on q.webhook = p.webhook;
update webhook_events as e set resends = p.count
  from (select event, count(*) from webhook_pending where resend_of is not null group by event) as p where p.event = e.id;
drop table webhook_pending, webhook_queues;
