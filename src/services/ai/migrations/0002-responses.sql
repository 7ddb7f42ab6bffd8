-- Which responses a provider keeps for which organisation: all of them share its account, and each may go on from its own.
create table ai_responses (
  org text not null,
  id text not null,
  created timestamptz not null,
  primary key (org, id)
);
create index ai_responses_age on ai_responses (created);
