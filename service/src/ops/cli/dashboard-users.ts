import type { Params } from '@tessera/contract/operations'

import { ExitError } from '../exits.ts'

import { callService } from './control-client.ts'
import { printTable, requireArguments, type Command } from './command.ts'

export const usersCreate: Command = {
  name: 'dashboard users create',
  args: '<merchant>',
  summary: "Creates a user of a merchant's dashboard, and prints a password for one sign-in.",
  details: 'The first user of a merchant is an owner, who creates the others in the dashboard.',
  options: [
    { name: 'phone', takes: '<digits>', meaning: 'The phone to sign in with: digits of the international number.' },
    { name: 'role', takes: '<role>', meaning: 'owner by default; or developer, support, read.' },
  ],
  async run(input) {
    const [merchantId = ''] = requireArguments(input.args, 1, 1, 'dashboard users create <merchant> --phone 998…')
    const phone = input.options.get('phone')
    if (phone === undefined) throw new ExitError('usage', 'The phone is missing: --phone 998…')
    const role = (input.options.get('role') ?? 'owner') as Params<'operator.users.create'>['role']
    const data = await callService(input, 'operator.users.create', { merchantId, phone, role })
    return { exit: 'done', data, text: `User ${data.userId} signs in with phone ${phone}.\n${passwordLine(data)}` }
  },
}

export const usersList: Command = {
  name: 'dashboard users list',
  args: '<merchant>',
  summary: "Lists the users of a merchant's dashboard.",
  async run(input) {
    const [merchantId = ''] = requireArguments(input.args, 1, 1, 'dashboard users list <merchant>')
    const data = await callService(input, 'operator.users.list', { merchantId })
    const rows = data.users.map((user) => [user.userId, user.phone, user.role, user.state, user.totp ? 'on' : 'off'])
    const text = rows.length === 0 ? 'No users.' : printTable(['user', 'phone', 'role', 'state', 'second factor'], rows)
    return { exit: 'done', data, text }
  },
}

export const usersBlock: Command = {
  name: 'dashboard users block',
  args: '<merchant> <user>',
  summary: "Blocks a user and ends the user's sessions; --undo unblocks.",
  options: [{ name: 'undo', meaning: 'Unblock the user.' }],
  async run(input) {
    const [merchantId = '', userId = ''] = requireArguments(input.args, 2, 2, 'dashboard users block <merchant> <user>')
    const data = await callService(input, 'operator.users.block', { merchantId, userId, blocked: !input.options.has('undo') })
    return { exit: 'done', data, text: `User ${userId} is ${data.state}.` }
  },
}

export const usersResetPassword: Command = {
  name: 'dashboard users reset-password',
  args: '<merchant> <user>',
  summary: 'Issues a new password for one sign-in; the sessions, the second factor, passkeys and recovery codes end.',
  async run(input) {
    const [merchantId = '', userId = ''] = requireArguments(input.args, 2, 2, 'dashboard users reset-password <merchant> <user>')
    const data = await callService(input, 'operator.users.resetPassword', { merchantId, userId })
    return { exit: 'done', data, text: passwordLine(data) }
  },
}

function passwordLine({ password }: { readonly password: string }): string {
  return `Password (shown once, to be changed at the first sign-in): ${password}`
}
