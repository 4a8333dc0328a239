/**
 * Draws six-digit trace numbers (STAN) from one counter that all processes share, in blocks of 100. `take` returns the first number of a block that no other
 * process gets.
 */
export function makeTraceNumbers(take: (count: number) => Promise<number>): { readonly drawStan: () => Promise<string> } {
  let block = { next: 0, end: 0 }
  let taking: Promise<unknown> = Promise.resolve()
  return {
    async drawStan() {
      const drawn = taking.catch(() => undefined).then(drawNumber)
      taking = drawn
      return String((await drawn) % stans).padStart(6, '0')
    },
  }

  async function drawNumber(): Promise<number> {
    if (block.next === block.end) {
      const next = await take(blockSize)
      block = { next, end: next + blockSize }
    }
    return block.next++
  }
}

const stans = 1_000_000
const blockSize = 100
