import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, operatorDone } from './operator.ts'
import { chainName, integrity, storeFinding } from './operator-audit.ts'

export const operatorStoreCheckContract = defineOperatorOperation('operator.store.check', {
  summary:
    'Checks the whole store: the integrity of its files and indexes, keys against rows, audit chains, row MACs, and rows without their parents.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({
    integrity,
    keys: Type.Integer({ description: 'Different keys that rows name.' }),
    chains: Type.Integer(),
    entries: Type.Integer({ description: 'Audit entries.' }),
    rows: Type.Integer({ description: 'Rows with a MAC.' }),
    relations: Type.Integer({ description: 'Relations of rows and their parents.' }),
    findings: Type.Array(storeFinding),
    more: Type.Boolean(),
  }),
})

const postgresUrl = Type.String({
  pattern: '^postgres(ql)?://[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*$',
  maxLength: 4096,
  description: 'An address of PostgreSQL: postgres://…',
})

export const operatorStoreMoveContract = defineOperatorOperation('operator.store.move', {
  summary: 'Moves the embedded store to PostgreSQL while the service runs, and stops the service afterwards.',
  mutates: true,
  params: Type.Object({
    databaseUrl: postgresUrl,
    keysDatabaseUrl: Type.Union([postgresUrl, Type.Null()], {
      description: 'The database of the keys; null: that of databaseUrl. Of no account where the keys are on PostgreSQL already.',
    }),
    environment: Type.Enum(['test', 'production'], { description: 'The environment of the next start: test or production.' }),
    kek: Type.String({ maxLength: 64, description: 'The provider of the KEK of the next start, as TESSERA_KEK names it.' }),
  }),
  result: Type.Object({
    tables: Type.Integer(),
    rows: Type.Integer({ description: 'Rows that were compared, each with all its columns.' }),
    changed: Type.Integer({ description: 'Rows that were changed meanwhile, copied again and compared again.' }),
    pauseMs: Type.Integer({ description: 'How long writes waited before the embedded store was closed.' }),
  }),
})

const copyName = Type.String({
  pattern: '^[\\p{L}\\p{N}._ -]{1,100}$',
  description: 'A name has at most 100 letters, digits, blanks, dots, hyphens and underscores.',
})

/** The ends of audit chains that the entry of a backup has. A chain is a process's, so there may be thousands. */
export const backupHeadsMax = 30

export const operatorStoreRecordBackupContract = defineOperatorOperation('operator.store.recordBackup', {
  summary: 'Writes the audit entry of a backup that tessera backup or tessera keys backup made.',
  mutates: true,
  params: Type.Object({
    what: Type.Enum(['database', 'keys'], { description: 'What was copied: database or keys.' }),
    destination: copyName,
    user: copyName,
    chains: Type.Integer({ minimum: 0, description: 'How many audit chains are in the copy.' }),
    heads: Type.Array(Type.Object({ chain: chainName, seq: Type.Integer({ minimum: 1 }) }), {
      maxItems: backupHeadsMax,
      description: 'The ends of the longest of these chains; the manifest of the copy has all.',
    }),
  }),
  result: operatorDone,
})

export const operatorStoreRecordPrimaryContract = defineOperatorOperation('operator.store.recordPrimary', {
  summary: 'Writes the audit entry of tessera store choose-primary; a sealed service, when its custodians have unsealed it.',
  mutates: true,
  params: Type.Object({
    host: Type.String({ pattern: '^[!-~]{1,253}$', description: 'A host of the database with its port, as tessera shows it: db1:5432.' }),
  }),
  result: operatorDone,
})

export const operatorStoreSignBackupContract = defineOperatorOperation('operator.store.signBackup', {
  summary: 'Verifies the copy that tessera backup made, and signs its manifest: for a command that cannot open the KEK.',
  mutates: false,
  params: Type.Object({
    folder: Type.Union([Type.String({ pattern: '^/[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*$', maxLength: 4096 }), Type.Null()], {
      description: 'The folder of the copy, an absolute path; null on PostgreSQL, whose database is verified itself.',
    }),
  }),
  result: Type.Object({
    manifest: Type.String({ description: 'A signed line of JSON.' }),
    entries: Type.Integer({ description: 'Audit entries at the ends of the chains whose links were recomputed.' }),
    answers: Type.Integer({ description: 'Known answers of keys.' }),
    rows: Type.Integer({ description: 'Sampled rows with a valid MAC.' }),
  }),
})

export const operatorStoreOperations = operationsByName(
  operatorStoreCheckContract,
  operatorStoreMoveContract,
  operatorStoreRecordBackupContract,
  operatorStoreRecordPrimaryContract,
  operatorStoreSignBackupContract,
)
