import type { Language } from '@tessera/contract/profile'

import { wordsOf } from '../app/language.ts'

/** Who did something, in the reader's language; one that is newer than this page as it stands. */
export function actorName(actor: string): string {
  const names: Readonly<Record<string, string>> = wordsOf(actorNames)
  return names[actor] ?? actor
}

const en = { merchant: 'your page or server', user: 'a user of the dashboard', system: 'the service', operator: 'the operator' }

const actorNames: Readonly<Record<Language, typeof en>> = {
  en,
  ru: { merchant: 'ваша страница или сервер', user: 'пользователь кабинета', system: 'сервис', operator: 'оператор' },
  uz: { merchant: 'sizning sahifa yoki server', user: 'kabinet foydalanuvchisi', system: 'xizmat', operator: 'operator' },
}
