import { errorEntry, type ErrorName } from './errors.ts'
import { publicOperations, type PublicOperation } from './operations.ts'

export interface OpenRpcDocument {
  openrpc: string
  info: { title: string; version: string; description: string; license: { name: string } }
  methods: object[]
}

/** Prints the OpenRPC 1.3 document of the whole API. Pure: the same contract gives the same text. */
export function printOpenRpc(version: string): OpenRpcDocument {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Tessera',
      version,
      description:
        'Card tokenization: a card in, a merchant-bound token out. POST /api/<method> (spec profile) or /api (subscribe profile).',
      license: { name: 'Apache-2.0' },
    },
    methods: Object.entries(publicOperations).map(([name, entry]) => printMethod(name, entry)),
  }
}

function printMethod(name: string, entry: PublicOperation): object {
  const params = entry.params as { properties?: Record<string, object>; required?: string[] }
  return {
    name,
    summary: entry.summary,
    description: entry.description,
    paramStructure: 'by-name',
    params: Object.entries(params.properties ?? {}).map(([member, schema]) => ({
      name: member,
      required: params.required?.includes(member) ?? false,
      schema,
    })),
    result: { name: 'result', schema: entry.result },
    errors: entry.errors.map(printError),
    'x-caller': entry.caller,
  }
}

function printError(name: ErrorName): object {
  const { code, specCode, reason, text, hint } = errorEntry(name)
  return { code, message: text.en, data: { reason, hint, ...(specCode === undefined ? {} : { specCode }) } }
}
