-- The slugs of deleted organisations. Nobody may use one again: things elsewhere may still be attributed to it.
create table former_orgs (
  slug text primary key,
  deleted timestamptz not null
);
insert into former_orgs (slug, deleted)
  select on_what, max(at) from audit where org = 'admin' and what = 'org.delete'
    and not exists (select from orgs where slug = on_what) group by on_what;

-- Passwords chosen by admins of an organisation that was deleted, also if another one has its slug now.
with ended as (
  update users set password = null, password_by = null
    where password_by is not null
      and not exists (select from orgs where slug = password_by and orgs.created <= users.created)
    returning id
)
delete from oidc using ended where oidc.user_id = ended.id and model in ('Grant', 'Session');
create index users_by_password_by on users (password_by) where password_by is not null;

-- Only the tokens of a trusted app carry the role of their person.
alter table apps add trusted boolean not null default false;
update apps set trusted = true where chooses;

-- A person sees their invitations.
create index invites_by_email on invites (email, created, id);
