import { shortMask } from '@tessera/contract/card'
import type { ErrorEntry } from '@tessera/contract/errors'
import { errorEntry } from '@tessera/contract/errors'
import type { PublicCaller, PublicOperation } from '@tessera/contract/operations'
import { link, printCode } from './errors.ts'
import { fence, page, printedFrom, markdownTable } from './markdown.ts'
import { listMembers, type Schema } from './schema.ts'

/** The page of one method: what it does, who may call it, params, result, errors, and one call in both profiles. */
export function printMethodPage(name: string, entry: PublicOperation): string {
  return page(
    `# ${name}`,
    printedFrom('contract/src/operations/'),
    entry.summary,
    entry.description,
    `**Who may call it:** ${callers[entry.caller]}${entry.mutates ? ` ${changesData}` : ''}`,
    '## Params',
    printMembers(entry.params, true),
    '## Result',
    printMembers(entry.result, false),
    '## Errors',
    printErrors(entry),
    '## Example',
    ...printExample(name, entry),
  )
}

/** The list of all methods. */
export function printMethodsIndex(methods: Readonly<Record<string, PublicOperation>>): string {
  const rows = Object.entries(methods).map(([name, entry]) => [`[${name}](${name}.md)`, entry.summary, shortCallers[entry.caller]])
  return page(
    '# Methods',
    printedFrom('contract/src/operations/'),
    'JSON-RPC 2.0 over POST, in two profiles of one service: `POST /api/<method>` (spec) and `POST /api` (subscribe). [openrpc.json](../openrpc.json), which `rpc.discover` returns, is the same in machine-readable form.',
    markdownTable(['method', 'what it does', 'who may call it'], rows),
    'Errors of every method: [errors](../errors.md).',
  )
}

/** What the request pipeline does for every method that changes something (service/src/server/pipeline.ts). */
const changesData =
  '**It changes data** and accepts an `Idempotency-Key`: for 24 hours, a repeated call with the same key [has no further effect and gets the same outcome](../../concepts/idempotency.md). Without a key each call is a new one.'

const callers: Readonly<Record<PublicCaller, string>> = {
  browser: 'a browser or an app with the merchant id alone (`X-Auth: <id>`), or a server with id and password.',
  server: 'a server, with id and password (`X-Auth: <id>:<password>`).',
  serverInSpec:
    'a server, with id and password (`X-Auth: <id>:<password>`); in the subscribe profile the merchant id alone is enough, unless the merchant has `strictServerAuth`.',
  nobody: 'anybody; no `X-Auth` is needed.',
}

const shortCallers: Readonly<Record<PublicCaller, string>> = {
  browser: 'browser or server',
  server: 'server',
  serverInSpec: 'server; in the subscribe profile either',
  nobody: 'anybody',
}

function printMembers(schema: Schema, isParams: boolean): string {
  const members = listMembers(schema)
  if (members.length === 0) return 'None.'
  const need = (isRequired: boolean): string => (isRequired ? 'yes' : 'no')
  const head = ['member', 'type', ...(isParams ? ['required'] : []), 'meaning']
  return markdownTable(
    head,
    members.map(({ path, type, isRequired, meaning }) => [`\`${path}\``, type, ...(isParams ? [need(isRequired)] : []), meaning]),
  )
}

function printErrors(entry: PublicOperation): string {
  const everywhere = 'In addition to those of [every call](../errors.md)'
  if (entry.errors.length === 0) return `${everywhere}: none.`
  const entries: ErrorEntry[] = entry.errors.map((name) => errorEntry(name))
  const rows = entries.map((error) => [link(error.reason, '../errors.md'), printCode(error), error.text.en, error.hint])
  return `${everywhere}:\n\n${markdownTable(['reason', 'code', 'message', 'what to do'], rows)}`
}

/** Of the sandbox: printed at every start in the test environment, refused in production. */
const merchantId = '65f0c0ffee0000000000cafe'
const password = 'sandbox-only-password-not-for-live-0'

function printExample(name: string, { caller, example }: PublicOperation): string[] {
  const xAuth = { browser: merchantId, server: `${merchantId}:${password}`, serverInSpec: `${merchantId}:${password}`, nobody: null }[
    caller
  ]
  const auth = xAuth === null ? '' : `X-Auth: ${xAuth}\n`
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: example.params }, null, 2)
  const reply = (result: unknown): string => fence('json', JSON.stringify({ jsonrpc: '2.0', id: 1, result }, null, 2))
  return [
    'In the spec profile, against the test environment:',
    fence('http', `POST /api/${name} HTTP/1.1\ncontent-type: application/json\n${auth}\n${request}`),
    reply(example.result),
    `In the subscribe profile the same request goes to \`POST /api\`, and the reply is:`,
    reply(inSubscribe(example.result)),
  ]
}

const sandboxMasks = ['860006******6311']

/** What differs in the subscribe profile: the mask of a card, and the expiry in replies of `cards.*` (docs/reference/wire.md#profiles). */
function inSubscribe(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSubscribe)
  if (typeof value !== 'object' || value === null) return value
  const isCard = 'number' in value && 'expire' in value
  if (!isCard) return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inSubscribe(member)]))
  const { number, expire } = value
  const isInReceipt = !('token' in value) // The card of a receipt has its expiry as YYMM in both profiles.
  return {
    ...value,
    number: sandboxMasks.find((mask) => shortMask(mask) === number) ?? number,
    expire: isInReceipt || typeof expire !== 'string' ? expire : `${expire.slice(0, 2)}/${expire.slice(2)}`,
  }
}
