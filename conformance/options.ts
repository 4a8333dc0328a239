import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import type { Target } from './run-vectors.ts'
import { readVectorFile, type VectorFile } from './vector.ts'

/** What the command line asks for. */
export interface Options {
  readonly target: Target
  readonly files: readonly VectorFile[]
  readonly json: boolean
  /** Where the runner plays the endpoint of the refusing merchant; null: nowhere. */
  readonly endpointPort: number | null
}

/** Reads the command line; null when it asks for help. Throws what is wrong with it, in a sentence. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      merchant: { type: 'string', default: env.MERCHANT_ID ?? demo.merchant },
      password: { type: 'string', default: env.MERCHANT_PASSWORD ?? demo.password },
      'other-merchant': { type: 'string', default: env.OTHER_MERCHANT_ID ?? '' },
      'other-password': { type: 'string', default: env.OTHER_MERCHANT_PASSWORD ?? '' },
      'refusing-merchant': { type: 'string', default: env.REFUSING_MERCHANT_ID ?? '' },
      'refusing-password': { type: 'string', default: env.REFUSING_MERCHANT_PASSWORD ?? '' },
      'endpoint-port': { type: 'string', default: '' },
      only: { type: 'string', multiple: true, default: [] },
      slow: { type: 'boolean', default: false },
      slowness: { type: 'string', default: '1' },
      production: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const other = { merchant: values['other-merchant'], password: values['other-password'] }
  const refusing = { merchant: values['refusing-merchant'], password: values['refusing-password'] }
  const endpointPort = readPort(values['endpoint-port'])
  if ((refusing.merchant === '') !== (endpointPort === null)) throw new Error('--refusing-merchant and --endpoint-port go together.')
  const target: Target = {
    url: readUrl(values.url),
    merchant: values.merchant,
    password: values.password,
    other: other.merchant === '' ? null : other,
    refusing: endpointPort === null ? null : refusing,
    isTest: !values.production,
    slow: values.slow,
    slowness: readSlowness(values.slowness),
  }
  return { target, files: readFiles(values.only), json: values.json, endpointPort }
}

function readUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`--url wants http://host:port or https://host, not ${text}.`)
  return url
}

function readPort(text: string): number | null {
  if (text === '') return null
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--endpoint-port is a number from 1 to 65535, not ${text}.`)
  return port
}

function readSlowness(text: string): number {
  const factor = Number(text)
  if (!(factor >= 1 && factor <= slownessMost)) throw new Error(`--slowness is a number from 1 to ${slownessMost}, not ${text}.`)
  return factor
}

/** A group may be named with or without its folder and `.json`. */
function readFiles(only: readonly string[]): VectorFile[] {
  const folder = new URL('vectors/', import.meta.url)
  const groups = readdirSync(folder).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
  const asked = only.map((name) => name.replace(/^.*\//, '').replace(/\.json$/, ''))
  const unknown = asked.find((name) => !groups.includes(name))
  if (unknown !== undefined) throw new Error(`There is no group ${unknown}; there are ${groups.join(', ')}.`)
  return (asked.length === 0 ? groups : asked).map((group) => readVectorFile(group, readFileSync(new URL(`${group}.json`, folder), 'utf8')))
}

export const usage = `npm run conformance -- [options]

Sends every vector to a service and prints what differs.

  --url <base>              where the service is (http://127.0.0.1:8080); /api is put behind it
  --merchant <id>           merchant to call as (MERCHANT_ID, or the demo merchant of a test environment)
  --password <password>     its password; better in MERCHANT_PASSWORD, where no process list shows it
  --other-merchant <id>     a second merchant (OTHER_MERCHANT_ID, OTHER_MERCHANT_PASSWORD), for the vectors
  --other-password <p>      that hold two merchants against each other
  --refusing-merchant <id>  a merchant whose endpoint is http://127.0.0.1:<endpoint port>/ (REFUSING_MERCHANT_ID,
  --refusing-password <p>   REFUSING_MERCHANT_PASSWORD): the runner plays that endpoint and refuses every payment
  --endpoint-port <port>
  --only <group>            one group, such as cards.create; may be given more than once
  --slow                    also the vectors that wait on purpose (the 10 s test card)
  --slowness <factor>       how many times longer than its vector says an answer may take (1), on a machine busy with other things
  --production              only what makes no card, has no SMS sent and counts in no limit
  --json                    one JSON object instead of text

Ends with 0 when everything agrees, 1 when something differs, 2 when it could not be tried.`

/** What every test environment is issued with; refused in production. */
const demo = { merchant: '65f0c0ffee0000000000cafe', password: 'sandbox-only-password-not-for-live-0' }

const slownessMost = 100
