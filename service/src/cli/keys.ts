import { ask } from './ask.ts'
import type { Command } from './command.ts'
import { CannotGoOn } from '../exits.ts'
import { printTable } from './table.ts'

/** A data key as the service tells it. */
export interface ToldKey {
  readonly keyId: string
  readonly purpose: string
  /** Merchant id, or '' for a key of the service. */
  readonly owner: string
  readonly epoch: number
  readonly state: string
  readonly createdAt: string
  /** Cards sealed under it; null where the purpose seals none. */
  readonly cards: number | null
}

export const keysStatus: Command = {
  name: 'keys status',
  summary: 'Lists the data keys: purpose, owner, state, age, and how many cards hang on each.',
  about:
    'A card key in state decrypt_only with no card left can be destroyed; the cards of an old key are moved to the new one by themselves.',
  async run(asked) {
    const facts = (await ask(asked, { ask: 'keys.status' })) as { kek: string; oldestInUse: ToldKey | null; keys: ToldKey[] }
    const rows = facts.keys.map((key) => [key.keyId, key.purpose, key.owner, key.epoch, key.state, key.createdAt, key.cards])
    const oldest = facts.oldestInUse
    const text = [
      `KEK ${facts.kek}`,
      oldest === null
        ? 'No card is sealed.'
        : `Oldest key that cards hang on: ${oldest.keyId}, made ${oldest.createdAt}, ${String(oldest.cards)} cards`,
      '',
      printTable(['key', 'purpose', 'owner', 'epoch', 'state', 'made', 'cards'], rows),
    ].join('\n')
    return { exit: 'done', facts, text }
  },
}

export const keysRotate: Command = {
  name: 'keys rotate',
  words: '<purpose> [merchant]',
  summary: 'Makes a new data key; new cards are sealed under it at once, old ones are moved in the background.',
  about:
    'Purposes: card (wants the merchant), otp, limits, pepper, idempotency, webhook, dashboard. Keys rotate by themselves at the end of their time; this is for the day one may be known.',
  async run(asked) {
    const [purpose, owner = ''] = wordsOf(asked.words, 1, 2, 'keys rotate <purpose> [merchant]')
    const facts = (await ask(asked, { ask: 'keys.rotate', purpose, owner })) as { keyId: string; epoch: number }
    return { exit: 'done', facts, text: `The new ${String(purpose)} key is ${facts.keyId} (epoch ${String(facts.epoch)}).` }
  },
}

export const keysDestroy: Command = {
  name: 'keys destroy',
  words: '<key>',
  summary: 'Destroys a data key for good; whatever still hangs on it, in every backup too, can never be opened again.',
  about: 'Refused while a card of this database hangs on the key, and while the key is active.',
  options: [{ name: 'yes', meaning: 'Say that you mean it.' }],
  async run(asked) {
    const [keyId] = wordsOf(asked.words, 1, 1, 'keys destroy <key>')
    if (!asked.options.has('yes'))
      throw new CannotGoOn('usage', `This cannot be undone. If you mean it: tessera keys destroy ${String(keyId).slice(0, 64)} --yes`)
    const facts = await ask(asked, { ask: 'keys.destroy', keyId })
    return { exit: 'done', facts, text: `Key ${String(keyId)} is destroyed.` }
  },
}

/** The words after a command's name. Throws when there are too few or too many. */
export function wordsOf(words: readonly string[], from: number, to: number, shape: string): readonly string[] {
  if (words.length >= from && words.length <= to) return words
  throw new CannotGoOn('usage', `It is: tessera ${shape}`)
}
