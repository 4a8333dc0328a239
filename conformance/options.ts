import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import type { ConformanceTarget } from './run-vectors.ts'
import { readVectorFile, type VectorFile } from './vector.ts'

/** The parsed command line. */
export interface ConformanceOptions {
  readonly target: ConformanceTarget
  readonly files: readonly VectorFile[]
  readonly json: boolean
  /** The port where the runner simulates the endpoint of the refusing merchant; null: not at all. */
  readonly endpointPort: number | null
}

/** Reads the command line; null when it asks for help. Throws an error that says what is wrong with it. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): ConformanceOptions | null {
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
  const target: ConformanceTarget = {
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
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`--url must be http://host:port or https://host, not ${text}.`)
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
  const groupsChosen = only.map((name) => name.replace(/^.*\//, '').replace(/\.json$/, ''))
  const unknown = groupsChosen.find((name) => !groups.includes(name))
  if (unknown !== undefined) throw new Error(`There is no group ${unknown}; there are ${groups.join(', ')}.`)
  return (groupsChosen.length === 0 ? groups : groupsChosen).map((group) =>
    readVectorFile(group, readFileSync(new URL(`${group}.json`, folder), 'utf8')),
  )
}

export const usage = `npm run conformance -- [options]

Sends every vector to a service and prints what differs.

  --url <base>              the address of the service (http://127.0.0.1:8080), without /api
  --merchant <id>           merchant to call as (MERCHANT_ID, or the demo merchant of a test environment)
  --password <password>     its password; better in MERCHANT_PASSWORD, which process lists do not show
  --other-merchant <id>     a second merchant (OTHER_MERCHANT_ID, OTHER_MERCHANT_PASSWORD), for the vectors
  --other-password <p>      about two merchants
  --refusing-merchant <id>  a merchant whose endpoint is http://127.0.0.1:<endpoint port>/ (REFUSING_MERCHANT_ID,
  --refusing-password <p>   REFUSING_MERCHANT_PASSWORD): the runner simulates that endpoint and refuses every payment
  --endpoint-port <port>
  --only <group>            one group, such as cards.create; can be repeated
  --slow                    also the vectors that wait on purpose (the 10 s test card)
  --slowness <factor>       how many times longer than its vector says a response may take (1), for a busy machine
  --production              only requests that create no card, send no SMS and count in no limit
  --json                    one JSON object instead of text

Exits with 0 when everything agrees, 1 when something differs, 2 when the vectors could not be run.`

/** The demo merchant of every test environment; refused in production. */
const demo = { merchant: '65f0c0ffee0000000000cafe', password: 'sandbox-only-password-not-for-live-0' }

const slownessMost = 100
