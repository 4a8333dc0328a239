import type { Setting } from './values.ts'

/** The change of the key encryption key, and when it is old. */
export const keySettings = [
  {
    name: 'kekNextFile',
    env: 'TESSERA_KEK_NEXT_FILE',
    flag: '--kek-next-file',
    type: 'path',
    default: null,
    meaning:
      'A JSON file with the settings of the KEK that is to replace the current one: "kek" and those of its provider, by name. Keys are unwrapped by both; tessera keys rewrap wraps them by the new one.',
  },
  {
    name: 'kekCeremonyMinutes',
    env: 'TESSERA_KEK_CEREMONY_MINUTES',
    flag: '--kek-ceremony-minutes',
    type: 'integer',
    from: 1,
    to: 1440,
    default: 30,
    meaning:
      'How long custodians have from the first share to the last, when they take shares and when they enter them. What was entered until then is forgotten.',
    source: 'time for several people to come to a terminal; not so long that shares of a ceremony that was broken off lie in memory',
  },
  {
    name: 'kekAgeDaysMax',
    env: 'TESSERA_KEK_AGE_DAYS_MAX',
    flag: '--kek-age-days-max',
    type: 'integer',
    from: 1,
    to: 3650,
    default: 365,
    meaning: 'The cryptoperiod of the KEK. Nothing ends with it: it is when the log and the metrics say that the KEK is due for a rewrap.',
    source: 'PCI DSS 3.7.4 asks for a defined cryptoperiod; NIST SP 800-57 part 1 §5.3.6 has one to two years for a key that wraps keys',
  },
  {
    name: 'kekNoticeDays',
    env: 'TESSERA_KEK_NOTICE_DAYS',
    flag: '--kek-notice-days',
    type: 'integer',
    from: 0,
    to: 365,
    default: 30,
    meaning: 'How long before kekAgeDaysMax is reached the log says so, once a day (kek_due).',
    source: 'time to bring custodians together, or to order an HSM’s ceremony',
  },
] as const satisfies readonly Setting[]
