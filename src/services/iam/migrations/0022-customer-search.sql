-- Whoever has several terms with the prefix of a search is found by the first of them. The others share at least as many
-- characters with the one before, and are kept apart by that number: read one after the other and passed over, they would
-- be as many as the customers who have a name in their address.
alter table customer_terms add shared smallint not null default 0;
update customer_terms set shared = found.shared
  from (
    select customer, term,
      (select count(*) from generate_series(1, length(before)) as n where left(before, n) = left(term, n)) as shared
    from (select customer, term, lag(term, 1, '') over (partition by customer order by term) as before from customer_terms) as pairs
  ) as found
  where customer_terms.customer = found.customer and customer_terms.term = found.term and found.shared > 0;
-- Few are blocked, so that a search among all and one among the others read the same index.
alter table customer_terms drop constraint customer_terms_pkey,
  add primary key (org, shared, term, customer) include (blocked);
create index customer_terms_blocked on customer_terms (org, shared, term, customer) where blocked;
