-- breaking: the previous version does not know that the MAC of a user covers the name.
-- The name of a user of the dashboard, and when they last signed in.

alter table dashboard_users add column name text not null default '';

alter table dashboard_users add column last_sign_in_at integer not null default 0;
