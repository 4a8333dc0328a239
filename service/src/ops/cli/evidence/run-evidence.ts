import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'

import type { AuditSigner } from '@tessera/vault/audit'
import { dueAt } from '@tessera/vault/epoch'
import { KekSealedError } from '@tessera/vault/kek'

import { refuseForeignEnvironment } from '../../../app/data-folder.ts'
import type { StartSubject } from '../../../app/start-subject.ts'
import { userSettings } from '../../../domain/users/dependencies.ts'
import { findOldestEntryTime } from '../../../store/audit.ts'
import { countUsers } from '../../../store/dashboard-users.ts'
import { listKeks } from '../../../store/keks.ts'
import { countPageReadings } from '../../../store/page-watches.ts'
import { makeWalk } from '../../../store/walk.ts'
import { makeSystemClock } from '../../../system-clock.ts'
import { allStages, type StoreReport } from '../../audit/check.ts'
import { makeAuditSigners } from '../../audit/signers.ts'
import type { Config } from '../../config/config.ts'
import { InvalidSettingsError } from '../../config/sources.ts'
import { formatEvidence, isSignedEvidence, judgeFacts, printEvidence, type EvidenceDocument } from './document.ts'
import type { EvidenceFacts, KeyFacts, StoredFacts } from './facts.ts'
import { isSignedMerchantPack } from './merchant-pack.ts'
import { readScripts, writePack } from './pack-files.ts'
import { runMerchantPack } from './run-merchant-pack.ts'
import { ExitError } from '../../exits.ts'
import { scrubLine } from '../../logging/scrub.ts'
import { tesseraVersion } from '../../version.ts'

import { readKeyFile } from '../audit.ts'
import { checkOpenedStore } from '../check-stopped-store.ts'
import { printTable, requireArguments, type CommandInput, type CommandOutcome } from '../command.ts'
import { displayPath } from '../control-client.ts'
import { examine } from '../doctor.ts'
import { printFinding } from '../print-finding.ts'
import { withSubject } from '../with-subject.ts'

/** `tessera evidence --out <folder>`: facts by requirement of PCI DSS, found on configuration, stores and files, beside a service or without one. */
export async function runEvidence(input: CommandInput): Promise<CommandOutcome> {
  requireArguments(input.args, 0, 0, 'evidence --out <folder>')
  const packed = input.options.get('verify')
  if (packed !== undefined) return verifyPack(packed, input)
  requireOwnSettings(input)
  const folder = makeFolder(input.options.get('out'))
  const merchantId = input.options.get('merchant')
  if (merchantId !== undefined) return runMerchantPack(merchantId, folder, input)
  for (const name of ['signing-key', 'publish'])
    if (input.options.has(name)) throw new ExitError('usage', `--${name} is for the pack of a merchant: --merchant <id>`)
  const { findings, read } = await examine(input)
  const stored = read === null ? refusedSettings : await lookAtStores(read.config, input)
  const facts: EvidenceFacts = {
    machine: hostname(),
    config: read?.config ?? null,
    findings,
    ...stored,
    session: userSettings,
    scripts: readScripts(),
    now: makeSystemClock().now(),
  }
  const document = withoutCardNumbers(judgeFacts(facts, tesseraVersion))
  const { signer } = stored
  const line = formatEvidence(document, signer)
  const signature =
    typeof signer === 'string' ? `Not signed: ${signer}` : `Signed by the key ${signer.keyId} of the audit (\`evidence.json\`).`
  writePack(folder, { 'evidence.json': `${line}\n`, 'evidence.md': printEvidence(document, signature) })
  const isClean = document.rows.every(({ state }) => state === 'met' || state === 'person')
  return {
    exit: isClean ? 'done' : 'findings',
    data: { folder, signed: typeof signer !== 'string', ...document },
    text: [
      printTable(
        ['', 'requirement', 'what has to be so', 'found'],
        document.rows.map(({ state, requirement, what, found }) => [marks[state], requirement, what, found]),
      ),
      '',
      `${signature} Written to ${displayPath(folder)}: evidence.md for people, evidence.json, SHA256SUMS.`,
    ].join('\n'),
  }
}

/** A pack about the settings of another environment than that of the folder would say nothing of the service. Settings that are refused are a finding. */
function requireOwnSettings(input: CommandInput): void {
  try {
    refuseForeignEnvironment(input.settings().config)
  } catch (err) {
    if (!(err instanceof InvalidSettingsError)) throw err
  }
}

/** Whether the service of these keys signed the file as it is. Needs no service. */
function verifyPack(path: string, { options }: CommandInput): CommandOutcome {
  const keyPath = options.get('key')
  if (keyPath === undefined) throw new ExitError('usage', 'Give the public keys with --key <file>: tessera audit public-key prints them.')
  if (!existsSync(path)) throw new ExitError('usage', `There is no file ${path}.`)
  const [line, keys] = [readFileSync(path, 'utf8'), readKeyFile(keyPath)]
  const isSigned = isSignedEvidence(line, keys) || isSignedMerchantPack(line, keys)
  const text = isSigned ? `${path} is as one of the keys signed it.` : `${path} was not signed by any of the keys as it is.`
  return { exit: isSigned ? 'done' : 'findings', data: { file: path, isSigned }, text }
}

const marks = { met: 'met', 'not met': 'NOT MET', person: 'judge', unknown: '?' } as const

function makeFolder(given: string | undefined): string {
  if (given === undefined || given === '') throw new ExitError('usage', 'Usage: tessera evidence --out <folder>')
  const folder = resolve(given)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new ExitError('usage', `${displayPath(folder)} is not empty: give a new folder for each pack.`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Before everything is read, which may take hours.
  accessSync(folder, constants.W_OK)
  return folder
}

/** What the stores show, with the key that signs; a text says why a part could not be looked at. */
type StoreFacts = Pick<EvidenceFacts, 'store' | 'keys' | 'users' | 'pages'> & { readonly signer: AuditSigner | string }

const refused = 'the settings are refused'
const refusedSettings: StoreFacts = { store: refused, keys: refused, users: refused, pages: refused, signer: refused }

/** Each part by itself: a store that cannot be opened hides nothing of the others. */
async function lookAtStores(config: Config, { progress }: CommandInput): Promise<StoreFacts> {
  const clock = makeSystemClock()
  const look = async <T>(read: (subject: StartSubject) => Promise<T | string>): Promise<T | string> => {
    try {
      return await withSubject(config, read)
    } catch (err) {
      if (!(err instanceof ExitError)) throw err
      return err.cause instanceof KekSealedError ? 'custodians hold the KEK: see tessera keys verify' : err.what.split('\n').join(' ')
    }
  }
  const keys = await look((subject) => readKeys(subject, clock.now()))
  const users = await look(async (subject) => {
    const database = await subject.database()
    return database.hasSchema && database.pending().length === 0 ? database.read(countUsers()) : noSchema
  })
  const pages = await look(async (subject) => {
    const database = await subject.database()
    if (!database.hasSchema || database.pending().length > 0) return noSchema
    const now = clock.now()
    return database.read(countPageReadings(now - weekMs - graceMs, now - graceMs))
  })
  const store = await look(async (subject) => {
    const database = await subject.database()
    if (!database.hasSchema || database.pending().length > 0) return noSchema
    const walk = makeWalk({ onProgress: progress.show, now: () => clock.moment().monotonicMs })
    return { ...toStoredFacts(await checkOpenedStore(subject, allStages, walk)), oldestEntryAt: await findOldestEntryTime(database) }
  })
  const signer = await look(async (subject) => {
    const keyring = await subject.keyring()
    return keyring.list().some(({ purpose, state }) => purpose === 'audit_signing' && state === 'active')
      ? makeAuditSigners(keyring).active()
      : 'the key store has no key that signs: the service has not run yet'
  })
  return { keys, users, pages, store, signer }
}

const noSchema = 'the database has no schema of this version'
/** 11.6.1. */
const weekMs = 7 * 86_400_000
/** A reading begins after its time is there: with the longest interval that is more than a week after the last one. */
const graceMs = 3_600_000

async function readKeys(subject: StartSubject, now: number): Promise<KeyFacts | string> {
  const keyStore = await subject.keyStore()
  if (!keyStore.hasSchema || keyStore.pending().length > 0) return 'the key store has no schema of this version'
  const active = (await subject.storedKeys()).filter(({ state }) => state === 'active')
  const database = await subject.database()
  if (!database.hasSchema || database.pending().length > 0) return noSchema
  const keks = await database.read(listKeks())
  const inUse = new Set(active.map(({ kekId }) => kekId))
  const since = keks.filter(({ kekId }) => inUse.has(kekId)).map((kek) => kek.since)
  const overdue = active.flatMap((key) => {
    const due = dueAt(key)
    return due !== null && due < now ? [`${key.purpose}, due ${new Date(due).toISOString().slice(0, 10)}`] : []
  })
  return { active: active.length, overdue, kekSince: since.length === 0 ? null : Math.min(...since) }
}

function toStoredFacts({ rows, entries, chains, findings }: StoreReport): Omit<StoredFacts, 'oldestEntryAt'> {
  const linesOf = (isWanted: (kind: string, table: string) => boolean): string[] =>
    findings.filter((each) => isWanted(each.kind, 'table' in each ? each.table : '')).map(printFinding)
  return {
    cards: rows.card,
    rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
    entries,
    chains,
    changedCards: linesOf((kind) => kind === 'card'),
    changedRows: linesOf((kind) => kind !== 'card' && kind !== 'chain' && kind !== 'request_log'),
    chainFaults: linesOf((kind) => kind === 'chain'),
  }
}

/** Nothing of what was found can be one. What is written is scrubbed all the same, as each line of the log is. */
function withoutCardNumbers(document: EvidenceDocument): EvidenceDocument {
  return { ...document, rows: document.rows.map((row) => ({ ...row, found: scrubLine(row.found).text })) }
}
