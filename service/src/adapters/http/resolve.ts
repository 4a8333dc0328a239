import { lookup } from 'node:dns/promises'

import type { ResolveHost } from './address-guard.ts'

/** Resolves a name to all its addresses with the system's resolver, in its order. */
export const resolveBySystem: ResolveHost = (host) => lookup(host, { all: true, order: 'verbatim' })
