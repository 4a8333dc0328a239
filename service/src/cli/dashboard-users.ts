import { CannotGoOn } from '../exits.ts'

import { ask } from './ask.ts'
import type { Command } from './command.ts'
import { wordsOf } from './keys.ts'
import { printTable } from './table.ts'

interface Issued {
  readonly userId: string
  readonly password: string
}

export const usersCreate: Command = {
  name: 'dashboard users create',
  words: '<merchant>',
  summary: "Makes a user of a merchant's dashboard, and prints a password for one sign-in.",
  about: 'The first user of a merchant is an owner, who makes the others in the dashboard.',
  options: [
    { name: 'phone', takes: '<digits>', meaning: 'The phone to sign in with: digits of the international number.' },
    { name: 'role', takes: '<role>', meaning: 'owner by default; or developer, support, read.' },
  ],
  async run(asked) {
    const [merchantId] = wordsOf(asked.words, 1, 1, 'dashboard users create <merchant> --phone 998…')
    const phone = asked.options.get('phone')
    if (phone === undefined) throw new CannotGoOn('usage', 'Say who signs in: --phone 998…')
    const question = { ask: 'users.create', merchantId, phone, role: asked.options.get('role') ?? 'owner' }
    const facts = (await ask(asked, question)) as Issued
    return { exit: 'done', facts, text: `User ${facts.userId} signs in with phone ${phone}.\n${passwordLine(facts)}` }
  },
}

export const usersList: Command = {
  name: 'dashboard users list',
  words: '<merchant>',
  summary: "Lists the users of a merchant's dashboard.",
  async run(asked) {
    const [merchantId] = wordsOf(asked.words, 1, 1, 'dashboard users list <merchant>')
    const facts = (await ask(asked, { ask: 'users.list', merchantId })) as { users: Listed[] }
    const rows = facts.users.map((user) => [user.userId, user.phone, user.role, user.state, user.totp ? 'on' : 'off'])
    const text = rows.length === 0 ? 'No user.' : printTable(['user', 'phone', 'role', 'state', 'second factor'], rows)
    return { exit: 'done', facts, text }
  },
}

interface Listed {
  readonly userId: string
  readonly phone: string
  readonly role: string
  readonly state: string
  readonly totp: boolean
}

export const usersBlock: Command = {
  name: 'dashboard users block',
  words: '<merchant> <user>',
  summary: 'Blocks a user and ends its sessions; with --undo lets it in again.',
  options: [{ name: 'undo', meaning: 'Let the user in again.' }],
  async run(asked) {
    const [merchantId, userId] = wordsOf(asked.words, 2, 2, 'dashboard users block <merchant> <user>')
    const facts = (await ask(asked, { ask: 'users.block', merchantId, userId, blocked: !asked.options.has('undo') })) as { state: string }
    return { exit: 'done', facts, text: `User ${userId ?? ''} is ${facts.state}.` }
  },
}

export const usersResetPassword: Command = {
  name: 'dashboard users reset-password',
  words: '<merchant> <user>',
  summary: 'Issues a new password for one sign-in; the second factor is turned off, the sessions end.',
  async run(asked) {
    const [merchantId, userId] = wordsOf(asked.words, 2, 2, 'dashboard users reset-password <merchant> <user>')
    const facts = (await ask(asked, { ask: 'users.reset-password', merchantId, userId })) as Issued
    return { exit: 'done', facts, text: passwordLine(facts) }
  },
}

function passwordLine({ password }: Issued): string {
  return `Password (shown once, to be changed at the first sign-in): ${password}`
}
