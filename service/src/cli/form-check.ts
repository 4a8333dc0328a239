import { CannotGoOn } from '../exits.ts'

import type { Asked, Command, Outcome } from './command.ts'

/** Loaded when it runs: no other command needs a parser of HTML or a browser. */
export const formCheck: Command = {
  name: 'form-check',
  words: '<url or folder>',
  summary: 'Holds a merchant’s page against the rules for card forms, in its source and in a browser.',
  about:
    'Reads the source, opens the page in a Chromium of this machine, types a public sandbox card where cards are typed, and says what broke a rule.\n' +
    'Ends with 0 when nothing breaks one, 1 when something does, 2 when it could not be checked. Notes are an inventory and break nothing.\n' +
    'Each rule: docs/guides/form-check.md',
  options: [
    { name: 'static', meaning: 'Reads the source only; no browser is needed.' },
    { name: 'browser', takes: '<path>', meaning: 'The Chromium, Chrome or Edge to open the page with. Else one is looked for.' },
    {
      name: 'service',
      takes: '<origin>',
      meaning: 'The service’s origin: a form from anywhere else is a finding. Else the page is believed.',
    },
    { name: 'cookies', takes: '<name=value; …>', meaning: 'Sent to the page: for a checkout that is behind a session.' },
    { name: 'wait', takes: '<seconds>', meaning: 'How long a loaded page may add things before it is looked at: 0 to 60; 3.' },
    { name: 'time-limit', takes: '<seconds>', meaning: 'For one page, all in: 5 to 600; 60.' },
    { name: 'type-only', meaning: 'Types the sandbox card and sends no form.' },
    { name: 'sarif', meaning: 'Prints SARIF 2.1.0.' },
  ],
  readsNoSettings: true,
  run: check,
}

async function check({ words, options }: Asked): Promise<Outcome> {
  const [target] = words
  if (target === undefined || words.length > 1) throw new CannotGoOn('usage', 'It is: tessera form-check <url or folder>')
  const waitMs = readSeconds(options, { name: 'wait', least: 0, most: 60, otherwise: 3 })
  const pageMs = readSeconds(options, { name: 'time-limit', least: 5, most: 600, otherwise: 60 })
  const { checkForm, CannotCheck } = await import('@tessera/form-check/check-form')
  const { printSarif, printText } = await import('@tessera/form-check/report')
  const { rules } = await import('@tessera/form-check/rules')
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const asked = {
    ...{
      target,
      waitMs,
      pageMs,
      isLive: !options.has('static'),
      submits: !options.has('type-only'),
      formOrigin: readOrigin(options.get('service')),
    },
    ...{
      browserPath: options.get('browser') ?? null,
      cookies: options.get('cookies') ?? null,
      signal: stopping.signal,
      progress: (line: string) => void process.stderr.write(`${line}\n`),
    },
  }
  try {
    const report = await checkForm(asked)
    const sarif = options.has('sarif') ? printSarif(report) : null
    const isBroken = report.findings.some(({ rule }) => rules[rule].severity !== 'note')
    return {
      exit: isBroken ? 'found' : 'done',
      facts: sarif ?? report,
      text: sarif === null ? printText(report) : JSON.stringify(sarif, null, 2),
    }
  } catch (err) {
    if (stopping.signal.aborted) throw new CannotGoOn('interrupted', 'Stopped before the end; nothing is said of the page.', { cause: err })
    throw err instanceof CannotCheck ? new CannotGoOn('notChecked', err.message, { cause: err }) : err
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

function readSeconds(
  options: Asked['options'],
  { name, least, most, otherwise }: { name: string; least: number; most: number; otherwise: number },
): number {
  const text = options.get(name)
  const seconds = text === undefined ? otherwise : Number(text)
  if (text !== undefined && !/^\d+(\.\d+)?$/.test(text)) throw new CannotGoOn('usage', `--${name} takes seconds from ${least} to ${most}.`)
  if (seconds < least || seconds > most) throw new CannotGoOn('usage', `--${name} takes seconds from ${least} to ${most}.`)
  return seconds * 1000
}

function readOrigin(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/')
    throw new CannotGoOn('usage', '--service takes an origin: https://form.example.com')
  return url.origin
}
