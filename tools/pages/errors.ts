import type { ErrorEntry, ErrorOwner, Stage } from '@tessera/contract/errors'
import { fence, page, printedFrom, markdownTable } from './markdown.ts'

export type Errors = Readonly<Record<string, ErrorEntry>>

/** The page of all errors: in the order in which they are checked, each with what to do about it. */
export function printErrorsPage(errors: Errors): string {
  const entries = Object.values(errors)
  const stages = [...new Set(entries.map(({ stage }) => stage))]
  return page(
    '# Errors',
    printedFrom('contract/src/errors.ts'),
    intro,
    fence('json', example(entries)),
    ...stages.flatMap((stage) =>
      printStage(
        stage,
        entries.filter((entry) => entry.stage === stage),
      ),
    ),
    '## Texts',
    '`Accept-Language` selects the language. The default is English.',
    markdownTable(
      ['reason', 'English', 'Русский', 'Oʻzbekcha'],
      entries.map(({ reason, text }) => [link(reason), text.en, text.ru, text.uz]),
    ),
  )
}

/** A reason as a link to its row on the page of errors; `from` is the relative path to it. */
export function link(reason: string, from = ''): string {
  return `[\`${reason}\`](${from}#${reason})`
}

/** The code in both profiles, where they differ. */
export function printCode({ code, specCode }: Pick<ErrorEntry, 'code' | 'specCode'>): string {
  return specCode === undefined ? `${code}` : `${specCode} (spec), ${code} (subscribe)`
}

/** Who can fix it, in words. */
export function printOwner(owner: ErrorOwner): string {
  return {
    developer: "the merchant's developer",
    cardholder: 'the cardholder',
    operator: 'the provider',
    wait: 'the caller: try again later',
  }[owner]
}

const intro = `Every JSON-RPC outcome is HTTP 200. A reply with \`error\` has no \`result\`. Program against \`reason\`: it is a
stable identifier, one for each cause, while one \`code\` may stand for several causes. \`message\` is for people. \`data\` names the member,
method or id concerned. \`retry_after\`, if present, is in milliseconds.

The tables are in the order of the stages of a request. When a request has several errors, the first one in this order is returned.`

const stageTitles: Readonly<Record<Stage, string>> = {
  transport: 'Transport',
  parse: 'Parsing',
  request: 'Request',
  method: 'Method',
  caller: 'Authentication',
  limits: 'Rate limits by address and merchant',
  params: 'Params',
  idempotency: 'Idempotency',
  fineLimits: 'Rate limits by card, token and phone',
  state: 'State',
  network: 'Card networks and SMS',
  any: 'At any stage',
}

function printStage(stage: Stage, entries: readonly ErrorEntry[]): string[] {
  const rows = entries.map((entry) => [
    `<a id="${entry.reason}"></a>\`${entry.reason}\``,
    printCode(entry),
    entry.text.en,
    printOwner(entry.owner),
    entry.hint,
  ])
  return [`## ${stageTitles[stage]}`, markdownTable(['reason', 'code', 'message', 'who can fix it', 'what to do'], rows)]
}

function example(entries: readonly ErrorEntry[]): string {
  const { code, text, reason } = entries.find((entry) => entry.reason === 'wrong_code') ??
    entries[0] ?? { code: 0, text: { en: '' }, reason: '' }
  const error = { code, message: text.en, origin: 'cards.verify', reason }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, error }, null, 2)
}
