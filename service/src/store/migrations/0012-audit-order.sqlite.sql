-- What the audit tells of one subject is read in its order: of one who signed in a thousand times, a page of it.

drop index audit_subject;

create index audit_subject on audit (subject, version, at);
