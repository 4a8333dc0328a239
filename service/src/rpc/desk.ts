import type { Answer } from './answer.ts'
import type { TrustedProxies } from './client-address.ts'
import { InFlight, type InFlightBounds } from './in-flight.ts'

/** What all exchanges of a listener share: who answers them, how many there may be, and how many there are. */
export interface Desk {
  readonly answer: Answer
  /** Something threw where nothing may; for the log. */
  readonly failed: (cause: unknown) => void
  readonly heldBytesMax: number
  readonly proxies: TrustedProxies
  /** Requests whose answer is being worked on. */
  readonly inFlight: InFlight
  /** Requests, of pages too, that have no complete reply yet. */
  open: number
  /** Bytes of bodies that have not arrived in full. */
  heldBytes: number
  isDraining: boolean
  /** Called when the last open request is done; set while draining. */
  idle: (() => void) | null
}

export function makeDesk(parts: Pick<Desk, 'answer' | 'failed' | 'heldBytesMax' | 'proxies'>, bounds: InFlightBounds): Desk {
  return { ...parts, inFlight: new InFlight(bounds), open: 0, heldBytes: 0, isDraining: false, idle: null }
}

/** One open request less. */
export function settle(desk: Desk): void {
  desk.open--
  if (desk.open === 0) desk.idle?.()
}
