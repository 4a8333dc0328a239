import type { KeyObject } from 'node:crypto'

import type { AuditSigner } from '@tessera/vault/audit'

import { isSignedLine, parseObject, signJson } from '../../audit/checkpoint.ts'

import type { EvidenceFacts } from './facts.ts'
import { evidenceRows } from './rows.ts'
import type { EvidenceVerdict } from './verdicts.ts'

/** What `tessera evidence` found, for an assessor. */
export interface EvidenceDocument {
  /** When it was found, ISO 8601, UTC. */
  readonly at: string
  /** The version of Tessera. */
  readonly version: string
  readonly environment: string
  /** Where it was found. */
  readonly installation: EvidenceInstallation
  readonly rows: readonly JudgedRow[]
}

/** Where it was made: each of several processes has a pack of its own. */
export interface EvidenceInstallation {
  readonly machine: string
  /** Null when the settings are refused; so is the store. */
  readonly dataFolder: string | null
  readonly store: 'embedded' | 'postgresql' | null
}

export interface JudgedRow extends EvidenceVerdict {
  readonly id: string
  readonly requirement: string
  readonly what: string
  readonly shownBy: string
  /** What to do; absent when it is met. */
  readonly next?: string
}

export function judgeFacts(facts: EvidenceFacts, version: string): EvidenceDocument {
  const rows = evidenceRows.map(({ judge, next, ...row }) => {
    const verdict = judge(facts)
    return { ...row, ...verdict, ...(verdict.state === 'met' ? {} : { next }) }
  })
  return {
    at: new Date(facts.now).toISOString(),
    version,
    environment: facts.config?.environment ?? 'unknown',
    installation: describeInstallation(facts),
    rows,
  }
}

function describeInstallation({ machine, config }: EvidenceFacts): EvidenceInstallation {
  if (config === null) return { machine, dataFolder: null, store: null }
  return { machine, dataFolder: config.dataFolder, store: config.databaseUrl === null ? 'embedded' : 'postgresql' }
}

/**
 * The document as one line of JSON. The last member is the signature of the line without it, by the key that signs checkpoints of the audit; without a
 * signer there is none, and `unsigned` says why.
 */
export function formatEvidence(document: EvidenceDocument, signer: AuditSigner | string): string {
  const content = { type: evidenceType, ...document }
  return typeof signer === 'string'
    ? JSON.stringify({ ...content, unsigned: signer })
    : signJson(signer, { ...content, keyId: signer.keyId })
}

/** Whether one of the keys signed this line, and it is evidence. */
export function isSignedEvidence(line: string, keys: readonly KeyObject[]): boolean {
  return parseObject(line.trim())?.['type'] === evidenceType && isSignedLine(keys, line.trim())
}

/** The document for people, in Markdown. */
export function printEvidence({ at, version, environment, installation, rows }: EvidenceDocument, signature: string): string {
  const count = (state: EvidenceVerdict['state']): string => String(rows.filter((row) => row.state === state).length)
  const lines = rows.map(
    ({ requirement, what, state, found, shownBy }) => `| ${requirement} | ${what} | **${state}** | ${escapeCell(found)} | ${shownBy} |`,
  )
  return `# Evidence, ${at}

Tessera ${version}, environment ${environment}, on ${printInstallation(installation)}. ${count('met')} met, ${count('not met')} not met, ${count('person')} for a person to judge, ${count('unknown')} unknown. ${signature}

Facts by requirement of PCI DSS 4.0.1, as a program found them at that time on this installation. It is no assessment: an operator of Tessera is a service
provider and validates by SAQ D for service providers or a report on compliance, never by SAQ A. What is outside of the program (people, buildings, networks,
other software) is not in it.

| requirement | what has to be so | state | found | shown again by |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
${printNext(rows)}`
}

function printInstallation({ machine, dataFolder, store }: EvidenceInstallation): string {
  const database = store === 'postgresql' ? 'PostgreSQL' : 'the embedded database'
  return dataFolder === null ? `the machine ${machine}` : `the machine ${machine}, data folder ${dataFolder}, ${database}`
}

/** What the operator does about each row that is not met: what was found wrong first, and what a person judges last. */
function printNext(rows: readonly JudgedRow[]): string {
  const ofState = (state: EvidenceVerdict['state']): string[] =>
    rows.filter((row) => row.state === state).map(({ requirement, what, next = '' }) => `- **${state}**, ${requirement}: ${what} ${next}`)
  const lines = [...ofState('not met'), ...ofState('unknown'), ...ofState('person')]
  return lines.length === 0 ? '' : `\n## What to do\n\n${lines.join('\n')}\n`
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}

const evidenceType = 'tessera.evidence/1'
