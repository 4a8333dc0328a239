/**
 * Thrown by an adapter when no byte was sent of what takes money, or sends or checks a code, because there is no connection to the host: nothing was taken, and
 * no code was sent. The caller gets -31002 `network_unavailable` and may try again. Never after a step of the same call that may have arrived, other than
 * one that only looks something up.
 */
export class NetworkNotReached extends Error {
  override readonly name = 'NetworkNotReached'

  constructor() {
    super('there is no connection to the card network')
  }
}
