import type { Params } from '@tessera/contract/operations'

import { ExitError } from '../exits.ts'

import { printTable, requireArguments, type Command } from './command.ts'
import { callService, longReplyTimeoutMs } from './control-client.ts'

export const keysStatus: Command = {
  name: 'keys status',
  summary: 'Lists the data keys: purpose, owner, state, age, and how many cards are sealed under each.',
  details:
    'A card key in state decrypt_only without cards can be destroyed. Cards under an old key are resealed under the new one in the background.',
  async run(input) {
    const data = await callService(input, 'operator.keys.list', {})
    const rows = data.keys.map((key) => [key.keyId, key.purpose, key.owner, key.epoch, key.state, key.createdAt, key.cards])
    const oldest = data.oldestInUse
    const text = [
      `KEK ${data.kek}`,
      oldest === null
        ? 'No card is sealed.'
        : `Oldest key with cards: ${oldest.keyId}, created ${oldest.createdAt}, ${String(oldest.cards)} cards`,
      '',
      printTable(['key', 'purpose', 'owner', 'epoch', 'state', 'created', 'cards'], rows),
    ].join('\n')
    return { exit: 'done', data, text }
  },
}

export const keysRotate: Command = {
  name: 'keys rotate',
  args: '<purpose> [merchant]',
  summary: 'Creates a new data key. New cards are sealed under it at once, old ones are resealed in the background.',
  details:
    'Purposes: card (needs the merchant), otp, limits, pepper, idempotency, webhook, dashboard. Keys are rotated automatically when they expire; use this when one may be compromised.',
  async run(input) {
    const [purpose = '', owner = ''] = requireArguments(input.args, 1, 2, 'keys rotate <purpose> [merchant]')
    const data = await callService(input, 'operator.keys.rotate', { purpose: purpose as KeyPurposeParam, owner })
    return { exit: 'done', data, text: `The new ${purpose} key is ${data.keyId} (epoch ${String(data.epoch)}).` }
  },
}

export const keysDestroy: Command = {
  name: 'keys destroy',
  args: '<key>',
  summary: 'Destroys a data key permanently. Anything still sealed under it, also in backups, can never be opened again.',
  details: 'Refused while a card of this database is sealed under the key, and while the key is active.',
  options: [{ name: 'yes', meaning: 'Confirm.' }],
  async run(input) {
    const [keyId = ''] = requireArguments(input.args, 1, 1, 'keys destroy <key>')
    if (!input.options.has('yes'))
      throw new ExitError('usage', `This cannot be undone. To confirm: tessera keys destroy ${keyId.slice(0, 64)} --yes`)
    const data = await callService(input, 'operator.keys.destroy', { keyId })
    return { exit: 'done', data, text: `Key ${keyId} is destroyed.` }
  },
}

export const keysSignRows: Command = {
  name: 'keys sign-rows',
  summary: 'Signs the rows without a MAC of a database that was restored from a backup of before migration 20.',
  details:
    'Such rows are refused: the key store says that all rows were signed, so they could be inserted by somebody who writes the database. ' +
    'Without --yes it only counts them. With --yes they count as written by the service: do that only when the database was just restored from ' +
    'a backup that you trust, before merchants can reach the service. The audit records who did it.',
  options: [
    { name: 'restored', meaning: 'Says that this database was restored from an older backup.' },
    { name: 'yes', meaning: 'Confirm.' },
  ],
  async run(input) {
    if (!input.options.has('restored'))
      throw new ExitError('usage', 'Only rows of a restored database are signed: tessera keys sign-rows --restored')
    const data = await callService(input, 'operator.keys.signRows', { confirmed: input.options.has('yes') }, longReplyTimeoutMs)
    const found = data.unsigned.filter(({ count }) => count > 0)
    if (found.length === 0) return { exit: 'done', data, text: 'Every row has a MAC: there is nothing to sign.' }
    const table = printTable(
      ['table', 'rows without a MAC'],
      found.map(({ table: name, count }) => [name, count]),
    )
    const next =
      data.signed === null
        ? 'They are refused. If this database was just restored from a backup that you trust: tessera keys sign-rows --restored --yes'
        : `${String(data.signed)} rows are signed. The audit has the entry rows.signed.`
    return { exit: 'done', data, text: `${table}\n\n${next}` }
  },
}

/** The service refuses a purpose that does not exist. */
type KeyPurposeParam = Params<'operator.keys.rotate'>['purpose']
