import { existsSync, writeFileSync } from 'node:fs'

import { generateNodeKey, nodeFingerprint, readNodeKey } from '@tessera/vault/node-key'

import { nodeKeyPath } from '../../app/hand-over.ts'
import { ExitError } from '../exits.ts'
import { readSecretFile } from '../../adapters/adapter.ts'

import { printTable, requireArguments, type Command } from './command.ts'
import { callService } from './control-client.ts'
import { askShare, custodianOf, custodianOption } from './custody.ts'

export const keysNodeKey: Command = {
  name: 'keys node-key',
  args: '<name>',
  summary: 'Makes the key to which other nodes hand the KEK of custodians over, and prints its public part.',
  details:
    'The private part is in the data folder, in node-key.json, mode 600. A key that exists is not replaced, only shown. Custodians enrol it on a node that they have\n' +
    'unsealed: tessera keys enroll-node.',
  run(input) {
    const [name = ''] = requireArguments(input.args, 1, 1, 'keys node-key <name>')
    if (!/^[a-z0-9-]{1,32}$/.test(name)) throw new ExitError('usage', 'A node is named by 1 to 32 small letters, digits and hyphens.')
    const path = nodeKeyPath(input.settings().config.dataFolder)
    const isNew = !existsSync(path)
    const key = isNew ? writeNodeKey(path, name) : readNodeKey(readSecretFile(path))
    const data = { name: key.name, publicKey: key.publicKey, fingerprint: nodeFingerprint(key.publicKey), generated: isNew }
    const text = `Node ${key.name}, fingerprint ${data.fingerprint}. On an unsealed node each of k custodians runs:\n\n  tessera keys enroll-node ${key.name} ${key.publicKey}`
    return Promise.resolve({ exit: 'done', data, text })
  },
}

function writeNodeKey(path: string, name: string) {
  const { key, file } = generateNodeKey(name)
  try {
    writeFileSync(path, `${file}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (err) {
    throw new ExitError('cannotCreate', `${path} cannot be written (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`, {
      cause: err,
      advice: 'Start the service once, which creates the data folder, or create it with mode 700.',
    })
  }
  return key
}

export const keysEnrollNode: Command = {
  name: 'keys enroll-node',
  args: '<name> <public key>',
  summary: "Enters a custodian's share for the enrolment of a node, which may then be handed the KEK.",
  details:
    'Each of k custodians runs it on a node that is unsealed, with the same name and public key: compare its fingerprint with what tessera keys node-key showed\n' +
    'on that node. A name that exists gets the new key. Audited.',
  options: [custodianOption],
  async run(input) {
    const [name = '', publicKey = ''] = requireArguments(input.args, 2, 2, 'keys enroll-node <name> <public key>')
    const custodian = custodianOf(input)
    await callService(input, 'operator.shares.list', {})
    const share = await askShare(input)
    const data = await callService(input, 'operator.nodes.enroll', { name, publicKey, share, custodian })
    const who = `node ${data.name}, fingerprint ${data.fingerprint}`
    const text = data.isEnrolled
      ? `The ${who}, is enrolled.`
      : `${String(data.received)} of ${String(data.threshold)} custodians agree to the ${who}. The others: the same command.`
    return { exit: 'done', data, text }
  },
}

export const keysRevokeNode: Command = {
  name: 'keys revoke-node',
  args: '<name>',
  summary: 'Revokes a node: it is handed no KEK any more.',
  details: 'What it has in its memory it keeps: stop it. If its key may be in the hands of somebody who also had a KEK, re-key.',
  async run(input) {
    const [name = ''] = requireArguments(input.args, 1, 1, 'keys revoke-node <name>')
    const data = await callService(input, 'operator.nodes.revoke', { name })
    return { exit: 'done', data, text: `The node ${name} is revoked.` }
  },
}

export const keysNodes: Command = {
  name: 'keys nodes',
  summary: 'Lists the nodes that custodians enrolled.',
  async run(input) {
    const data = await callService(input, 'operator.nodes.list', {})
    if (data.nodes.length === 0) return { exit: 'done', data, text: 'No node is enrolled: each has a ceremony of its own.' }
    const rows = data.nodes.map((node) => [node.name, node.fingerprint, node.enrolledAt, node.revokedAt])
    return { exit: 'done', data, text: printTable(['node', 'fingerprint', 'enrolled', 'revoked'], rows) }
  },
}

export const keysFetch: Command = {
  name: 'keys fetch',
  summary: 'Requests the KEKs that this node does not have from the nodes of handOverPeers; a sealed service does so by itself.',
  async run(input) {
    const data = await callService(input, 'operator.shares.fetch', {}, fetchTimeoutMs)
    if (data.opened.length > 0) return { exit: 'done', data, text: `The KEKs of the sets ${data.opened.join(', ')} are open here.` }
    return { exit: 'findings', data, text: 'No node handed one over: see the log here and there.' }
  },
}

const fetchTimeoutMs = 60_000
