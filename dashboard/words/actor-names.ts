import type { Language } from '@tessera/contract/profile'

import { wordsOf } from '../app/language.ts'

/** Who did something, in the reader's language; one that is newer than this page as it stands. */
export function actorName(actor: string): string {
  const names: Readonly<Record<string, string>> = wordsOf(actorNames)
  return names[actor] ?? actor
}

const en = {
  merchant: 'your page or server',
  user: 'a user of the dashboard',
  visitor: 'somebody, not signed in',
  system: 'the service',
  operator: 'the provider',
}

const actorNames: Readonly<Record<Language, typeof en>> = {
  en,
  ru: {
    merchant: 'ваша страница или сервер',
    user: 'пользователь кабинета',
    visitor: 'кто-то без входа',
    system: 'сервис',
    operator: 'провайдер',
  },
  uz: {
    merchant: 'sahifangiz yoki serveringiz',
    user: 'kabinet foydalanuvchisi',
    visitor: 'kirmagan kimdir',
    system: 'xizmat',
    operator: 'provayder',
  },
}
