-- How many requests each organisation made, by hour.
create table request_counts (
  org text not null,
  hour timestamptz not null,
  requests bigint not null,
  -- With a status of 400 to 499, and of 500 or more.
  refused bigint not null,
  failed bigint not null,
  primary key (org, hour)
);
create index request_counts_age on request_counts (hour);
