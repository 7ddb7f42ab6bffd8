-- To find what is left of a deleted organisation.
create index consumer_held_of_tenant on consumer_held (tenant);
create index consumer_waiting_of_tenant on consumer_waiting (tenant);
create index dead_letters_of_tenant on dead_letters (tenant);
