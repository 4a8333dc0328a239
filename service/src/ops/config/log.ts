import type { Setting } from './values.ts'

/** What is written to the log. */
export const logSettings = [
  {
    name: 'logLevel',
    env: 'TESSERA_LOG_LEVEL',
    flag: '--log-level',
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    meaning: 'Lowest level of log lines that are written; info has one line per call, warn none.',
  },
  {
    name: 'logSampleEvery',
    env: 'TESSERA_LOG_SAMPLE_EVERY',
    flag: '--log-sample-every',
    type: 'integer',
    from: 1,
    to: 100_000,
    default: 1,
    meaning:
      'Of the log lines of calls with a result, one in this many is written, with the number of those left out before it. Every other line is written.',
    source: 'a line per call is some 300 bytes: 26 GB a day at 1,000 calls a second',
  },
] as const satisfies readonly Setting[]
