-- Every text that cardholders were asked to agree to, as long as the service stands: a consent names one of them by version, language and hash.

create table disclosures (
  sha256 text collate "C" not null,
  version text collate "C" not null,
  locale text collate "C" not null,
  wording text not null,
  first_used_at bigint not null,
  last_used_at bigint not null,
  primary key (sha256, version, locale)
);
