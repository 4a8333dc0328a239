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
    meaning: 'Days for which the dashboard shows API calls, redacted; 0 records none.',
    source: 'long enough for a question after a holiday; the audit is what is stored for years',
  },
  {
    name: 'requestLogRowsMax',
    env: 'TESSERA_REQUEST_LOG_ROWS_MAX',
    flag: '--request-log-rows-max',
    type: 'integer',
    from: 1000,
    to: 10_000_000,
    default: 100_000,
    meaning:
      'Maximum number of calls with the password that are stored per merchant, half as many of pages, and a tenth as many that were not authenticated; beyond it the oldest of their kind are deleted within a few minutes.',
    source: 'some 35 MB per merchant, 55 MB with the other kinds; a shop with one payment a minute fills it in three weeks',
  },
] as const satisfies readonly Setting[]
