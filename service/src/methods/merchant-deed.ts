import { RpcError } from '@tessera/contract/errors'

import { lastOne, twoLive } from '../merchants/deeds.ts'

/** What a deed on a merchant gave; a sentence instead, which says why it was not done, is thrown as its error. */
export function expectDone<T extends object>(told: T | string): T {
  if (typeof told !== 'string') return told
  if (told === twoLive) throw new RpcError('twoPasswordsLive')
  if (told === lastOne) throw new RpcError('lastPassword')
  throw new RpcError('settingRefused', { data: told })
}
