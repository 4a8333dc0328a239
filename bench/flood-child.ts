// Sixteen connections that sign in with wrong passwords, in a process of its own so that their proofs of work are not the honest users' time. It takes only
// the processor time that others leave: the flooders' computers are not this one.
import { setPriority } from 'node:os'
import { randomInt } from 'node:crypto'
import { openDashboardBrowser, pause, solve } from './dashboard-browser.ts'
import type { ProofChallenge } from '../contract/src/proof-of-work.ts'

/** Starts the flood, over IPC. `rest`: they solve no further proof, as if other computers did; those who wait already go on waiting. `end` ends it. */
export interface FloodOrder {
  readonly url: string
  /** The phones that are attacked. */
  readonly phones: readonly string[]
  /** The addresses that they come from. */
  readonly addresses: readonly string[]
  readonly connections: number
}

/** How many replies of each kind there were. */
export type FloodResult = Readonly<Record<string, number>>

setPriority(19)
let isRunning = true
let isSolving = true
const seen: Record<string, number> = {}

process.once('message', (order: FloodOrder) => {
  const all = Promise.all(Array.from({ length: order.connections }, (_, at) => attack(order, at)))
  process.on('message', (next: 'rest' | 'end') => {
    isSolving = false
    if (next !== 'end') return
    isRunning = false
    void all.then(() => process.send?.(seen)).then(() => process.disconnect())
  })
})

/** Turns of: an attacked phone, the same with a guessed code (which a locked one takes), and a phone at random. */
async function attack({ url, phones, addresses }: FloodOrder, at: number): Promise<void> {
  const browser = openDashboardBrowser(url, addresses[at % addresses.length] ?? '127.0.0.1')
  let proof: object | undefined
  for (let turn = at; isRunning;) {
    const attacked = phones[turn % phones.length] ?? ''
    const guess = { code: String(randomInt(1_000_000)).padStart(6, '0') }
    const phone = turn % 3 === 2 ? `99855${String(turn).padStart(7, '0')}` : attacked
    const params = { phone, password: 'a wrong password', ...(turn % 3 === 1 ? guess : {}), ...(proof === undefined ? {} : { proof }) }
    const { result, error } = await browser.call('dashboard.session.signIn', params)
    proof = undefined
    const kind = error?.reason ?? String(result?.['needs'])
    seen[kind] = (seen[kind] ?? 0) + 1
    if (result?.['needs'] === 'proof' && isSolving) proof = await solve(result['proof'] as ProofChallenge)
    else turn += 16
    // As long as a client that is impolite, but has to send its next request over a network.
    if (proof === undefined && kind !== 'sign_in_refused') await pause(50)
  }
  browser.close()
}
