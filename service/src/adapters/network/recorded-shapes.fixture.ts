import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

/** A call of `conformance/networks/<network>.json`: what a client sends and the network replies, written down from public code. */
export interface RecordedCall {
  readonly method: string
  readonly sources: readonly string[]
  readonly params: unknown
  readonly result: unknown
}

export function readRecordedCalls(network: string): readonly RecordedCall[] {
  const url = new URL(`../../../../conformance/networks/${network}.json`, import.meta.url)
  return (JSON.parse(readFileSync(url, 'utf8')) as { readonly calls: readonly RecordedCall[] }).calls
}

/** Fails unless both values have the same members, of the same types. */
export function assertSameShape(actual: unknown, recorded: unknown, name: string): void {
  assert.deepEqual(toShape(actual), toShape(recorded), `${name} does not have the recorded shape`)
}

function toShape(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  if (Array.isArray(value)) return value.map(toShape)
  const members = Object.entries(value).map(([key, member]) => [key, toShape(member)] as const)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}
