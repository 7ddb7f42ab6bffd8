-- Whose word a password is: the organisation whose admin gave it, until the person has chosen one. And how often it was
-- guessed wrong where it has to be told to change it.
alter table users
  add password_by text,
  add wrong_count int not null default 0,
  add wrong_since timestamptz;
