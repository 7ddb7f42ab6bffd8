-- Wrong passwords per account, client network and known browser, counted by all processes together. A name is a digest,
-- because people mistype their passwords into the field for the address. Only counted attempts create rows: at most as
-- many as the limit per network admits. A right password removes its row, and a schedule those whose window has ended.
create table guesses (
  name bytea primary key,
  count int not null,
  ends timestamptz not null
);
create index guesses_by_end on guesses (ends);
