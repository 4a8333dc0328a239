import { Pan } from '@tessera/contract/card'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash } from './fields.ts'

/**
 * What a limit of issuer identification numbers (ISO/IEC 7812) is counted by: the first six or eight digits under the key of the day, never in the
 * clear. Eight digits leave 10^8 candidates, so this is for counting in memory, and is kept nowhere.
 */
export function limitIin(dek: Dek, digits: 6 | 8, pan: Pan): Uint8Array {
  expectDek(dek, 'limits')
  return keyedHash(dek.key, 'tessera limit iin', [String(digits), pan.reveal().subarray(0, digits)])
}

/** What a limit is counted by: 32 bytes that stand for a PAN or phone until the key of the day is destroyed (PCI DSS 3.5.1.1). */
export function limitSubject(dek: Dek, scope: 'pan' | 'phone', value: Pan | Uint8Array): Uint8Array {
  expectDek(dek, 'limits')
  return keyedHash(dek.key, 'tessera limit subject', [scope, value instanceof Pan ? value.reveal() : value])
}
