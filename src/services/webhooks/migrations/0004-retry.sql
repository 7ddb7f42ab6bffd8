-- How often deliveries are tried again.
alter table webhooks add retry text not null default 'standard' check (retry in ('standard', 'long'));
