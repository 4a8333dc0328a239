-- Every text that cardholders were asked to agree to, as long as the service stands: a consent names one of them by version, language and hash.

create table disclosures (
  sha256 text not null,
  version text not null,
  locale text not null,
  wording text not null,
  first_used_at integer not null,
  last_used_at integer not null,
  primary key (sha256, version, locale)
) strict;
