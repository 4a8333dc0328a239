import { readOrigin } from '@tessera/contract/origin'

import { ExitError } from '../exits.ts'

import type { Command, CommandInput, CommandOutcome } from './command.ts'

/** Loaded when it runs: no other command needs a parser of HTML or a browser. */
export const formCheck: Command = {
  name: 'form-check',
  args: '<url or folder>',
  summary: 'Checks a merchant’s page against the rules for card forms, in its source and in a browser.',
  details:
    'Reads the source, opens the page in a Chromium on this machine, types a public sandbox card wherever cards are taken, and lists the violations.\n' +
    'Exit code 0: no error, and no more warnings than --max-warnings; 1: otherwise; 2: the page could not be checked; 130: stopped by Ctrl-C.\n' +
    'The check in a browser needs the package playwright-core (npm install --no-save playwright-core). The rules: docs/guides/form-check.md',
  options: [
    { name: 'static', meaning: 'Checks the source only. Needs no browser.' },
    { name: 'browser', takes: '<path>', meaning: 'The Chromium, Chrome or Edge to use. Default: the first one found.' },
    {
      name: 'service',
      takes: '<origin>',
      meaning: 'The service’s origin: a form from any other origin is a finding. Default: trust the page.',
    },
    { name: 'cookies', takes: '<name=value; …>', meaning: 'Cookies sent to the page, for a checkout that needs a session.' },
    {
      name: 'wait',
      takes: '<seconds>',
      meaning:
        'How long a page may at most add elements before it is checked: 0 to 60. Default 10. A page that waits for nothing is checked at once.',
    },
    { name: 'time-limit', takes: '<seconds>', meaning: 'Time limit for one page: 5 to 600. Default 60.' },
    { name: 'type-only', meaning: 'Types the sandbox card, and presses no key and no button that could send it or open another form.' },
    { name: 'max-warnings', takes: '<n>', meaning: 'How many warnings are accepted: with more the exit code is 1. Default: any number.' },
    { name: 'sarif', meaning: 'Prints SARIF 2.1.0.' },
  ],
  ignoresSettings: true,
  run: check,
}

async function check({ args, options }: CommandInput): Promise<CommandOutcome> {
  const [target] = args
  if (target === undefined || args.length > 1) throw new ExitError('usage', 'Usage: tessera form-check <url or folder>')
  const settleMs = readSeconds(options, { name: 'wait', least: 0, most: 60, otherwise: 10 })
  const pageTimeoutMs = readSeconds(options, { name: 'time-limit', least: 5, most: 600, otherwise: 60 })
  const maxWarnings = readCount(options, 'max-warnings')
  const { checkForm, FormCheckError } = await import('@tessera/form-check/check-form')
  const { formatSarifReport, formatTextReport, isFailing, toJsonReport } = await import('@tessera/form-check/report')
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const checkOptions = {
    target,
    settleMs,
    pageTimeoutMs,
    isLive: !options.has('static'),
    shouldSubmit: !options.has('type-only'),
    formOrigin: readService(options.get('service')),
    browserPath: options.get('browser') ?? null,
    cookies: options.get('cookies') ?? null,
    signal: stopping.signal,
    onProgress: (line: string) => void process.stderr.write(`${line}\n`),
  }
  try {
    const report = await checkForm(checkOptions)
    const sarif = options.has('sarif') ? formatSarifReport(report) : null
    return {
      exit: isFailing(report, maxWarnings) ? 'findings' : 'done',
      data: sarif ?? toJsonReport(report),
      text: sarif === null ? formatTextReport(report) : JSON.stringify(sarif, null, 2),
    }
  } catch (err) {
    if (stopping.signal.aborted)
      throw new ExitError('interrupted', 'Stopped before the check was complete. There is no result.', { cause: err })
    throw err instanceof FormCheckError ? new ExitError('notChecked', err.message, { cause: err }) : err
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

function readSeconds(
  options: CommandInput['options'],
  { name, least, most, otherwise }: { name: string; least: number; most: number; otherwise: number },
): number {
  const text = options.get(name)
  const seconds = text === undefined ? otherwise : Number(text)
  if (text !== undefined && !/^\d+(\.\d+)?$/.test(text)) throw new ExitError('usage', `--${name} takes seconds from ${least} to ${most}.`)
  if (seconds < least || seconds > most) throw new ExitError('usage', `--${name} takes seconds from ${least} to ${most}.`)
  return seconds * 1000
}

/** A number of findings; without the option any number. */
function readCount(options: CommandInput['options'], name: string): number {
  const text = options.get(name)
  if (text === undefined) return Infinity
  if (!/^\d{1,6}$/.test(text)) throw new ExitError('usage', `--${name} takes a number: 0 accepts no warning.`)
  return Number(text)
}

function readService(text: string | undefined): string | null {
  if (text === undefined) return null
  const origin = readOrigin(text.replace(/\/$/, ''))
  if (origin === null) throw new ExitError('usage', '--service takes an origin: https://form.example.com')
  return origin
}
