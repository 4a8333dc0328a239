import type { MerchantEndpoint } from '../../service/src/endpoint/endpoint.ts'
import { makeTellingEndpoint as makeReal, type TellingParts } from '../../service/src/endpoint/told.ts'

/** Takes it for told what it has not told. */
export function makeTellingEndpoint(parts: TellingParts): MerchantEndpoint {
  return Object.freeze({ ...makeReal(parts), perform: () => Promise.resolve({ kind: 'agreed' as const }) })
}

export type { ToldDeed } from '../../service/src/endpoint/told.ts'
