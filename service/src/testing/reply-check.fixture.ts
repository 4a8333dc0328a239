import { errorEntry, errors, type ErrorName } from '@tessera/contract/errors'

import { canaries, type BadRequest } from './bad-requests.fixture.ts'
import type { RawReply } from './raw.fixture.ts'

/** The fault of a reply, as text; null if it is valid. */
export function findFault(request: BadRequest, reply: RawReply): string | null {
  if (holdsCanary(reply.raw)) return 'a card number is in the reply'
  if (reply.status === 200 && reply.headers.get('content-type') !== 'application/json') return 'its type is not JSON'
  if (reply.status !== 200) return request.isFramed && reply.status !== 404 ? `status ${reply.status}` : findProblemFault(reply)
  let read: unknown
  try {
    read = JSON.parse(reply.body)
  } catch {
    return 'it is no JSON'
  }
  if (!Array.isArray(read)) return findResponseFault(read) ?? findIdFault(request, read as Response)
  if (read.length < 1 || read.length > 20) return 'a batch of a size that none has'
  return read.map(findResponseFault).find((fault) => fault !== null) ?? null
}

/** Whether a text contains a card number that was sent: exactly 16 digits, in one run or in groups of four. */
export function holdsCanary(text: string): boolean {
  return (text.match(/(?<![0-9])(?:[0-9]{16}|(?:[0-9]{4}[ -]){3}[0-9]{4})(?![0-9])/g) ?? []).some((run) =>
    canaryDigits.has(run.replaceAll(/[ -]/g, '')),
  )
}

interface Response {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly reason?: unknown; readonly data?: unknown }
}

function findResponseFault(read: unknown): string | null {
  const response = (read ?? {}) as Response
  if (response.jsonrpc !== '2.0') return 'it has no version'
  if (!('id' in response) || !isId(response.id)) return 'its id is none'
  if ('result' in response === 'error' in response) return 'it has a result and an error, or neither'
  if (response.error === undefined)
    return typeof response.result === 'object' && response.result !== null ? null : 'its result is no object'
  const { code, message, reason, data } = response.error
  if (!knownOutcomes.has(`${String(code)} ${String(reason)}`)) return `the error ${String(code)} ${String(reason)} is not in the table`
  if (reason === 'internal_error' || reason === 'overloaded' || reason === 'store_unavailable') return `it says ${reason}`
  if (typeof message !== 'string' || message === '') return 'its error says nothing'
  return data === undefined || typeof data === 'string' ? null : 'its data is no string'
}

function findIdFault({ id }: BadRequest, response: Response): string | null {
  if (id === undefined || response.id === id) return null
  return response.error?.reason === 'tooDeep' ? null : `its id is ${JSON.stringify(response.id)}, not ${JSON.stringify(id)}`
}

function findProblemFault({ status, said, headers }: RawReply): string | null {
  if (![400, 404, 408, 413, 431].includes(status)) return `status ${status}`
  const isTold = headers.get('content-type') === 'application/problem+json' && said.status === status && said.detail !== undefined
  return isTold ? null : `status ${status} without a reason`
}

/** An id as JSON.parse reads it: integers of up to 32 digits are rounded there, and compared byte for byte elsewhere. */
function isId(id: unknown): boolean {
  const isInteger = typeof id === 'number' && Number.isInteger(id) && Math.abs(id) <= 1e32
  return id === null || isInteger || (typeof id === 'string' && Array.from(id).length <= 128)
}

const canaryDigits = new Set(canaries)
const knownOutcomes = new Set(
  (Object.keys(errors) as ErrorName[]).flatMap((name) => {
    const { code, specCode, reason } = errorEntry(name)
    return [`${code} ${reason}`, `${specCode ?? code} ${reason}`]
  }),
)
