import type { Setting } from './values.ts'

/** What the merchants' request log keeps. */
export const requestLogSettings = [
  {
    name: 'requestLogDays',
    env: 'TESSERA_REQUEST_LOG_DAYS',
    flag: '--request-log-days',
    type: 'integer',
    from: 0,
    to: 366,
    default: 14,
    meaning: 'For so many days the dashboard shows calls of the API, redacted; 0 records none.',
    source: 'long enough for a question after a holiday; the audit is what is kept for years',
  },
  {
    name: 'requestLogRowsMax',
    env: 'TESSERA_REQUEST_LOG_ROWS_MAX',
    flag: '--request-log-rows-max',
    type: 'integer',
    from: 1000,
    to: 10_000_000,
    default: 100_000,
    meaning: 'Calls of one merchant that are kept, however young; beyond, the oldest go within a few minutes.',
    source: 'some 70 MB of a merchant; a shop with one payment a minute fills it in three weeks',
  },
] as const satisfies readonly Setting[]
