import type { Params, Result } from '@tessera/contract/operations'

import { ExitError } from '../exits.ts'

import { printTable, requireArguments, type Command } from './command.ts'
import { callService, longReplyTimeoutMs } from './control-client.ts'

export const keysStatus: Command = {
  name: 'keys status',
  summary: 'Lists the KEKs and the data keys: purpose, owner, state, age, when each is due, and how many cards are sealed under it.',
  details:
    'A card key in state decrypt_only without cards can be destroyed. Cards under an old key are resealed under the new one in the background. Keys are\n' +
    'replaced automatically within the hour before they are due; a KEK is not: see tessera keys rewrap.',
  async run(input) {
    const data = await callService(input, 'operator.keys.list', {})
    const keks = data.keks.map((kek) => [
      kek.kekId,
      kek.shares === null ? kek.kind : `${kek.kind}, ${kek.shares}`,
      kek.since,
      kek.ageDays,
      kek.dueAt,
      kek.keys,
      describeKekUse(kek),
    ])
    const rows = data.keys.map((key) => [
      key.keyId,
      key.purpose,
      key.owner,
      key.epoch,
      key.state,
      key.createdAt,
      key.ageDays,
      key.dueAt,
      key.cards,
      ...(keks.length > 1 ? [key.kekId] : []),
    ])
    const oldest = data.oldestInUse
    const text = [
      printTable(['KEK', 'kind', 'since', 'age (days)', 'due', 'keys', 'use'], keks),
      '',
      oldest === null
        ? 'No card is sealed.'
        : `Oldest key with cards: ${oldest.keyId}, created ${oldest.createdAt}, ${String(oldest.cards)} cards`,
      '',
      printTable(
        ['key', 'purpose', 'owner', 'epoch', 'state', 'created', 'age (days)', 'due', 'cards', ...(keks.length > 1 ? ['KEK'] : [])],
        rows,
      ),
    ].join('\n')
    return { exit: 'done', data, text }
  },
}

function describeKekUse({ isWrapping, isOpen, keys }: Result<'operator.keys.list'>['keks'][number]): string {
  if (isWrapping) return 'wraps new keys'
  if (!isOpen) return 'not at hand'
  return keys > 0 ? 'unwraps: tessera keys rewrap' : 'unused'
}

export const keysRewrap: Command = {
  name: 'keys rewrap',
  summary: 'Wraps every data key by the KEK of TESSERA_KEK_NEXT_FILE, or by the newest version of a transit key, while the service runs.',
  details:
    'The data keys do not change, so no card is touched and no call fails. Each key is replaced on its own: Ctrl-C or an HSM that goes away ends it, and the\n' +
    'same command continues. Refused while another process on the database cannot unwrap by the new KEK. Audited. Exit code 1 when keys are left: run it again.\n' +
    'docs/operating/key-rotation.md has the steps.',
  async run(input) {
    const data = await callService(input, 'operator.keys.rewrap', {}, longReplyTimeoutMs)
    const left = data.left === 0 ? 'none is left under another KEK.' : `${String(data.left)} are left under another KEK: run it again.`
    return {
      exit: data.left === 0 ? 'done' : 'findings',
      data,
      text: `${String(data.rewrapped)} keys are wrapped by ${data.kekId}, ${left}`,
    }
  },
}

export const keysVerify: Command = {
  name: 'keys verify',
  summary: 'Verifies the key store: every key unwraps, its check value and known answer match, and none is missing or overdue.',
  details:
    'Reads the key store as it is stored, and reports every fault: foreign (wrapped by another KEK), altered, lost, answer_differs, answer_missing,\n' +
    'destroyed_in_use, overdue. Audited. Exit code 1 with findings; 69 when the KEK or a store does not answer, and nothing is known.',
  async run(input) {
    const data = await callService(input, 'operator.keys.verify', {}, longReplyTimeoutMs)
    const counts = `${String(data.keys)} keys unwrap, ${String(data.answers)} known answers compared`
    if (data.findings.length === 0) return { exit: 'done', data, text: `${counts}: nothing is wrong.` }
    const rows = data.findings.map(({ kind, keyId, purpose, owner, text }) => [kind, keyId, purpose, owner, text])
    const text = `${String(data.findings.length)} findings, ${String(data.keys)} keys looked at.\n\n${printTable(['finding', 'key', 'purpose', 'owner', 'what'], rows)}`
    return { exit: 'findings', data, text }
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

export const keysReseal: Command = {
  name: 'keys reseal',
  args: '<key>',
  summary: 'Reseals every card of a retired key under the active one now, when the key may be compromised. Rotate it first.',
  details:
    'The background does it too, within half a minute, at a quarter of the time. Both give way to calls that wait for the store. Ctrl-C cancels it, and\n' +
    'the same command continues. When no card is left, tessera keys destroy. Exit code 1 when cards are left, whose rows are refused: tessera audit verify.',
  options: [{ name: 'share', takes: '<percent>', meaning: 'How much of the time its own work takes, from 1 to 100. Default: 25.' }],
  async run(input) {
    const [keyId = ''] = requireArguments(input.args, 1, 1, 'keys reseal <key>')
    const sharePercent = Number(input.options.get('share') ?? '25')
    const data = await callService(input, 'operator.keys.reseal', { keyId, sharePercent }, longReplyTimeoutMs)
    const left = data.left === 0 ? 'none is left under this key.' : `${String(data.left)} are left under this key.`
    return { exit: data.left === 0 ? 'done' : 'findings', data, text: `${String(data.resealed)} cards are resealed, ${left}` }
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
