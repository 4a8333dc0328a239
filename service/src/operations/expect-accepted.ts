import { RpcError } from '@tessera/contract/errors'
import type { Language } from '@tessera/contract/profile'
import { SettingProblem } from '@tessera/contract/setting-problems'

/** The result of an administrative action. If it was refused, throws the error with its text in the caller's language. */
export function expectAccepted<T extends object | null>(result: T | SettingProblem, { language }: { readonly language: Language }): T {
  if (!(result instanceof SettingProblem)) return result
  if (result.code === 'two_active_passwords') throw new RpcError('twoPasswordsLive')
  if (result.code === 'last_active_password') throw new RpcError('lastPassword')
  throw new RpcError('settingRefused', { data: result.describe(language) })
}
