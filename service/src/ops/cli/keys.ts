import type { OperatorParams } from '@tessera/contract/operations'

import { CannotGoOn } from '../exits.ts'

import { printTable, wordsOf, type Command } from './command.ts'
import { callService } from './control-client.ts'

export const keysStatus: Command = {
  name: 'keys status',
  summary: 'Lists the data keys: purpose, owner, state, age, and how many cards are sealed under each.',
  about:
    'A card key in state decrypt_only with no card left can be destroyed. Cards under an old key are resealed under the new one in the background.',
  async run(input) {
    const facts = await callService(input, 'operator.keys.list', {})
    const rows = facts.keys.map((key) => [key.keyId, key.purpose, key.owner, key.epoch, key.state, key.createdAt, key.cards])
    const oldest = facts.oldestInUse
    const text = [
      `KEK ${facts.kek}`,
      oldest === null
        ? 'No card is sealed.'
        : `Oldest key with cards: ${oldest.keyId}, created ${oldest.createdAt}, ${String(oldest.cards)} cards`,
      '',
      printTable(['key', 'purpose', 'owner', 'epoch', 'state', 'made', 'cards'], rows),
    ].join('\n')
    return { exit: 'done', facts, text }
  },
}

export const keysRotate: Command = {
  name: 'keys rotate',
  words: '<purpose> [merchant]',
  summary: 'Creates a new data key. New cards are sealed under it at once, old ones are resealed in the background.',
  about:
    'Purposes: card (needs the merchant), otp, limits, pepper, idempotency, webhook, dashboard. Keys are rotated automatically when they expire; use this when one may be compromised.',
  async run(input) {
    const [purpose = '', owner = ''] = wordsOf(input.words, 1, 2, 'keys rotate <purpose> [merchant]')
    const facts = await callService(input, 'operator.keys.rotate', { purpose: purpose as KeyPurposeParam, owner })
    return { exit: 'done', facts, text: `The new ${purpose} key is ${facts.keyId} (epoch ${String(facts.epoch)}).` }
  },
}

export const keysDestroy: Command = {
  name: 'keys destroy',
  words: '<key>',
  summary: 'Destroys a data key for good. Whatever is still sealed under it, in every backup too, can never be opened again.',
  about: 'Refused while a card of this database is sealed under the key, and while the key is active.',
  options: [{ name: 'yes', meaning: 'Confirm.' }],
  async run(input) {
    const [keyId = ''] = wordsOf(input.words, 1, 1, 'keys destroy <key>')
    if (!input.options.has('yes'))
      throw new CannotGoOn('usage', `This cannot be undone. If you mean it: tessera keys destroy ${keyId.slice(0, 64)} --yes`)
    const facts = await callService(input, 'operator.keys.destroy', { keyId })
    return { exit: 'done', facts, text: `Key ${keyId} is destroyed.` }
  },
}

/** The service refuses a purpose that does not exist. */
type KeyPurposeParam = OperatorParams<'operator.keys.rotate'>['purpose']
