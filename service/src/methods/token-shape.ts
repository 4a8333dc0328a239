import { RpcError } from '@tessera/contract/errors'
import { readToken } from '@tessera/vault/token'

/** Throws when a token is not of token shape; whether it stands for a card is the card's to say. */
export function expectTokenShape({ token }: { readonly token: string }): void {
  const read = readToken(token)
  if (read === null) throw new RpcError('tokenShape', { data: 'token' })
  read.secret?.fill(0)
}
