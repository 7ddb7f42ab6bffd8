-- The issuer of each brand that STOA_IAM_URL names. Apps and tokens are bound to it, so a later start with another
-- one is refused. Null while the brand has only been served at a local address.
alter table brands add column issuer text;
