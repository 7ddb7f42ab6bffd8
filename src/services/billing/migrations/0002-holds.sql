-- What is held of a balance, so that one statement under the row of the account can hold more only if it is there.
alter table billing_accounts add column held bigint not null default 0;

-- A hold is charged if its process dies: with what was used so far, to whom it belongs, and the price in force.
alter table billing_holds add column product text not null default 'ai';
alter table billing_holds add column model text not null default '';
alter table billing_holds add column key text;
alter table billing_holds add column project text;
alter table billing_holds add column so_far bigint not null default 0;
alter table billing_holds add column metadata jsonb not null default '{}';

-- Those of processes of the version before say nothing of what was used.
delete from billing_holds;
