import { Pan } from '@tessera/contract/card'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash } from './fields.ts'

/** What a limit is counted by: 32 bytes that stand for a PAN or phone until the key of the day is destroyed (PCI DSS 3.5.1.1). */
export function limitSubject(dek: Dek, scope: 'pan' | 'phone', value: Pan | Uint8Array): Uint8Array {
  expectDek(dek, 'limits')
  return keyedHash(dek.key, 'tessera limit subject', [scope, value instanceof Pan ? value.reveal() : value])
}
