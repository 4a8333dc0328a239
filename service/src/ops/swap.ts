import { readFileSync } from 'node:fs'

/** Says whether memory with keys may be written to a swap device. No reason to refuse a start: it may be encrypted, or the unit keeps the service out of it. */
export function describeSwap(swaps: string): string {
  const used = swaps
    .split('\n')
    .slice(1)
    .flatMap((line) => line.match(/^\S+/)?.[0] ?? [])
  if (used.length === 0) return 'none in use'
  return `WARNING: ${used.join(', ')} in use, and keys in the memory of the service may be written there: MemorySwapMax=0 in its unit, or swapoff`
}

/** The kernel's list; empty where it has none. */
export function readSwaps(): string {
  try {
    return readFileSync('/proc/swaps', 'utf8')
  } catch {
    return ''
  }
}
