-- The logo and colour of an app for customers; those of the organisation if there are none.
alter table apps add logo text, add color text;
