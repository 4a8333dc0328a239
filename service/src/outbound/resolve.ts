import { lookup } from 'node:dns/promises'

import type { Resolve } from './guard.ts'

/** Asks the system's resolver for every address of a name, in the order in which it tells them. */
export const resolveBySystem: Resolve = (host) => lookup(host, { all: true, order: 'verbatim' })
