import { createReadStream, createWriteStream, existsSync, readFileSync, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { KeyObject } from 'node:crypto'

import type { Result } from '@tessera/contract/operations'
import { readAuditPublicKeys } from '@tessera/vault/audit'

import { auditKeyFingerprint, isMerchantExport, verifyMerchantExport } from '../audit/verify-merchant-export.ts'
import { verifyExport } from '../audit/verify-export.ts'
import { ExitError } from '../exits.ts'

import { compareCheckpoints, type CheckpointFinding } from './audit-checkpoints.ts'
import { printTable, requireArguments, type Command, type CommandInput, type CommandOutcome } from './command.ts'
import { callService, longReplyTimeoutMs } from './control-client.ts'
import { printFinding } from './print-finding.ts'

export const auditVerify: Command = {
  name: 'audit verify',
  summary:
    'Recomputes the audit chains, compares cards, receipts, merchants, users, endpoints and sessions with them, and checks files, indexes and the MACs of other rows.',
  details:
    'Finds entries that were changed, removed, added or reordered, rows that were changed or restored to an older version, and damaged tables and indexes. With\n' +
    '--from also chains that were cut off at their end or rewritten since a checkpoint, also by a person with the keys. The service goes on meanwhile; Ctrl-C cancels.\n' +
    'Exit code 1 when it finds any. tessera store check also compares keys with rows, and works without a running service.',
  options: [
    {
      name: 'from',
      takes: '<file>',
      meaning: 'A file of checkpoints (audit-checkpoints.jsonl, or a log of the syslog server), or one checkpoint line.',
    },
    {
      name: 'key',
      takes: '<file>',
      meaning: 'With --from: public keys that verify the checkpoints. Default: those of the running service.',
    },
  ],
  async run(input) {
    const data = await callService(input, 'operator.audit.verify', {}, longReplyTimeoutMs)
    const from = input.options.get('from')
    const compared = from === undefined ? null : await compareCheckpoints(input, from, await keysFor(input))
    const found = [...data.findings.map(printFinding), ...(compared?.findings.map(printCheckpointFinding) ?? [])]
    const text = [
      `Audit entries: ${String(data.entries)}, chains: ${String(data.chains)}. Files: ${String(data.integrity.checked)} tables or indexes, by ${data.integrity.method}.`,
      `Rows: ${countedRows(data)}.`,
      ...(compared === null ? [] : [`${String(compared.checkpoints)} checkpoints with ${String(compared.heads)} heads compared.`]),
      ...(found.length === 0 ? ['No findings.'] : found),
      ...(data.more || compared?.more === true ? ['There are more findings; fix these first.'] : []),
    ].join('\n')
    return { exit: found.length === 0 ? 'done' : 'findings', data: compared === null ? data : { ...data, checkpoints: compared }, text }
  },
}

type AuditVerification = Result<'operator.audit.verify'>

function countedRows({ cards, receipts, merchants, users, endpoints, formSessions, sessions, rows }: AuditVerification): string {
  const counts = { cards, receipts, merchants, 'dashboard users': users, 'webhook endpoints': endpoints, 'form sessions': formSessions }
  return Object.entries({ ...counts, 'sign-ins': sessions, others: rows })
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ')
}

function printCheckpointFinding({ chain, seq, at, what }: CheckpointFinding): string {
  return `checkpoint of ${at}${chain === '' ? '' : `, chain ${chain}, entry ${String(seq)}`}: ${what}`
}

async function keysFor(input: CommandInput): Promise<KeyObject[]> {
  const path = input.options.get('key')
  if (path !== undefined) return readKeyFile(path)
  const { keys } = await callService(input, 'operator.audit.publicKeys', {})
  return readAuditPublicKeys(keys.map(({ publicKey }) => publicKey).join('\n'))
}

/** The public keys of a file in PEM. Throws `ExitError` when it has none. */
export function readKeyFile(path: string): KeyObject[] {
  try {
    const keys = readAuditPublicKeys(readFileSync(path, 'utf8'))
    if (keys.length > 0) return keys
  } catch (cause) {
    throw new ExitError(
      'usage',
      `${path} cannot be read as an Ed25519 public key (${cause instanceof Error ? cause.message : 'unknown'}).`,
      { cause },
    )
  }
  throw new ExitError('usage', `${path} has no public key in PEM: write one with tessera audit public-key > ${path}`)
}

export const auditHead: Command = {
  name: 'audit head',
  summary: 'Prints the last entry of every audit chain, signed.',
  details:
    'Store the line of JSON where nobody who writes the database can change it; tessera audit verify --from compares the chains with it.',
  async run(input) {
    const data = await callService(input, 'operator.audit.head', {})
    const rows = data.chains.map(({ chain, seq, hash }) => [chain, seq, hash])
    const text = `${printTable(['chain', 'position', 'hash'], rows)}\n\nSigned at ${data.at} with key ${data.keyId}:\n${data.line}`
    return { exit: 'done', data, text }
  },
}

export const auditPublicKey: Command = {
  name: 'audit public-key',
  summary: 'Prints the public keys that verify checkpoints and exports of the audit, as PEM.',
  details: 'After a rotation there are several; give all of them to the auditor. Compare a key on a second way before you rely on it.',
  async run(input) {
    const data = await callService(input, 'operator.audit.publicKeys', {})
    const text = data.keys
      .map(({ keyId, state, createdAt, publicKey }) => {
        return `# key ${keyId}, ${state}, of ${createdAt}\n# SHA-256 ${auditKeyFingerprint(publicKey)}\n${publicKey.trim()}`
      })
      .join('\n')
    return { exit: 'done', data, text }
  },
}

export const auditList: Command = {
  name: 'audit list',
  args: '[merchant]',
  summary: 'Lists audit entries, newest first: what users and operators did, with what changed and from which address.',
  details: 'Without a merchant: what operators did to the service, such as to its keys. Its own entries have the subjects audit and rows.',
  options: [
    {
      name: 'subject',
      takes: '<id>',
      meaning: 'Everything about one card, receipt, user or other object, by API calls and the service too.',
    },
    { name: 'count', takes: '<count>', meaning: 'How many entries, from 1 to 500. Default: 50.' },
  ],
  async run(input) {
    const [merchantId = ''] = requireArguments(input.args, 0, 1, 'audit list [merchant]')
    const count = Number(input.options.get('count') ?? '50')
    const data = await callService(input, 'operator.audit.list', { merchantId, subject: input.options.get('subject') ?? null, count })
    const rows = data.entries.map(({ at, actor, address, action, subject, outcome, changes }) => [
      at,
      actor,
      address,
      action,
      subject,
      outcome,
      printChanges(changes),
    ])
    const ofWhom = merchantId === '' ? ' Those about a merchant: tessera audit list <merchant>' : ''
    const table = printTable(['at', 'actor', 'address', 'action', 'subject', 'outcome', 'changes'], rows)
    return { exit: 'done', data, text: rows.length === 0 ? `No entries.${ofWhom}` : table }
  },
}

function printChanges(changes: Result<'operator.audit.list'>['entries'][number]['changes']): string {
  return changes.map(({ name, from, to }) => `${name}: ${from ?? '—'} → ${to ?? '—'}`).join('; ')
}

export const auditExport: Command = {
  name: 'audit export',
  args: '<file>',
  summary: 'Writes audit entries into a file, in segments that the service signs.',
  details:
    'Writes lines of JSON: the signed heads of the chains, then segments of a thousand entries. tessera audit verify-export checks the file without the\n' +
    'service. Exit code 1 when the service found a fault in an entry; the file says which.',
  options: [
    { name: 'chain', takes: '<name>', meaning: 'Only this chain. Default: all.' },
    { name: 'after', takes: '<position>', meaning: 'With --chain: only entries after this position, for a continued archive.' },
  ],
  async run(input) {
    const [path = ''] = requireArguments(input.args, 1, 1, 'audit export <file>')
    if (existsSync(path)) throw new ExitError('usage', `${path} exists: give the name of a new file.`)
    const only = input.options.get('chain')
    const after = Number(input.options.get('after') ?? '0')
    if (!Number.isSafeInteger(after) || after < 0)
      throw new ExitError('usage', 'A position is a whole number: 0 is before the first entry.')
    if (after > 0 && only === undefined) throw new ExitError('usage', '--after needs --chain: each chain has positions of its own.')
    const { chains, line } = await callService(input, 'operator.audit.head', {})
    const chosen = chains.filter(({ chain }) => only === undefined || chain === only)
    if (only !== undefined && chosen.length === 0) throw new ExitError('usage', `There is no chain ${only}. See: tessera audit head`)
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await once(file, 'open')
    await writeText(file, `${line}\n`)
    const totals = { file: path, chains: chosen.length, entries: 0, faults: 0 }
    for (const { chain, seq: until } of chosen) {
      for (let at = after; at < until;) {
        const { segment } = await callService(input, 'operator.audit.export', { chain, after: at, until }, longReplyTimeoutMs)
        if (segment === null) break
        await writeText(file, segment.text)
        totals.entries += segment.entries
        totals.faults += segment.faults.length
        at = segment.toSeq
      }
    }
    file.end()
    await once(file, 'close')
    const found = totals.faults === 0 ? '' : ` The service found faults in ${String(totals.faults)} of them: see tessera audit verify.`
    const text = `${String(totals.entries)} entries of ${String(totals.chains)} chains were written to ${path}.${found}`
    return { exit: totals.faults === 0 ? 'done' : 'findings', data: totals, text }
  },
}

async function writeText(file: WriteStream, text: string): Promise<void> {
  if (!file.write(text)) await once(file, 'drain')
}

export const auditVerifyExport: Command = {
  name: 'audit verify-export',
  args: '<file>',
  summary: 'Verifies an export of the audit with the public key alone, without the service, its database and its keys.',
  details:
    'Finds entries that were changed, added, removed or cut off since the service signed them, in an export of an operator and in the signed file of the\n' +
    'dashboard. Exit code 1 when it finds any. What it proves: docs/concepts/audit.md.',
  options: [
    {
      name: 'key',
      takes: '<file>',
      meaning:
        'One or more public keys in PEM: the output of tessera audit public-key. Without it a file of the dashboard is verified with the key that it names itself.',
    },
  ],
  async run(input) {
    const [path = ''] = requireArguments(input.args, 1, 1, 'audit verify-export <file> --key <file>')
    const keyPath = input.options.get('key')
    if (!existsSync(path)) throw new ExitError('usage', `There is no file ${path}.`)
    if (isMerchantExport(await readFirstLine(path))) return verifyDashboardExport(path, keyPath === undefined ? null : readKeyFile(keyPath))
    if (keyPath === undefined) throw new ExitError('usage', 'Give the public keys with --key <file>: tessera audit public-key prints them.')
    const keys = readKeyFile(keyPath)
    const data = await verifyExport(createInterface({ input: createReadStream(path), crlfDelay: Infinity }), keys)
    const rows = data.chains.map(({ chain, fromSeq, toSeq, lastHash }) => [chain, fromSeq, toSeq, lastHash])
    const text = [
      `${String(data.entries)} entries in ${String(data.segments)} segments; heads signed at ${data.signedAt ?? 'an unknown time'}.`,
      ...(rows.length === 0 ? [] : [printTable(['chain', 'from', 'to', 'last hash'], rows)]),
      ...(data.findings.length === 0 ? ['No findings.'] : data.findings.map(({ line, what }) => `line ${String(line)}: ${what}`)),
    ].join('\n')
    return { exit: data.findings.length === 0 ? 'done' : 'findings', data, text }
  },
}

async function readFirstLine(path: string): Promise<string> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  for await (const line of lines) return line
  return ''
}

/** Its file has at most 10,000 entries, so it is read at once. */
function verifyDashboardExport(path: string, keys: KeyObject[] | null): CommandOutcome {
  const lines = readFileSync(path, 'utf8').split(/\r?\n/)
  const data = verifyMerchantExport(lines.at(-1) === '' ? lines.slice(0, -1) : lines, keys)
  const { merchantId, conditions, entries, pages, signedAt, from, to, linkedPairs, keys: named, findings } = data
  const limits = Object.entries(conditions).map(([name, value]) => `${name} ${String(value)}`)
  const text = [
    `${String(entries)} entries of merchant ${merchantId}, ${from ?? '—'} to ${to ?? '—'}, ${String(pages)} signed ${pages === 1 ? 'page' : 'pages'}; the first signed at ${signedAt ?? 'an unknown time'}.`,
    `Conditions of the list: ${limits.length === 0 ? 'none' : limits.join(', ')}. ${String(linkedPairs)} entries have the one before them in the chain beside them in this file.`,
    ...named.map((key) => `Signed with key ${key}.`),
    ...(keys === null
      ? ['No --key was given: the file was verified with the key that it names itself. Compare its SHA-256 with the provider’s.']
      : []),
    ...(findings.length === 0 ? ['No findings.'] : findings.map(({ line, what }) => `line ${String(line)}: ${what}`)),
  ].join('\n')
  return { exit: findings.length === 0 ? 'done' : 'findings', data, text }
}
