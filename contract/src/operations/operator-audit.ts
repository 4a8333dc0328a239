import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { auditChanges } from './dashboard-audit.ts'
import { defineOperatorOperation, isoTimestamp, listLength, merchantId } from './operator.ts'

/** What a check of the store found. */
export const storeFinding = Type.Union([
  Type.Object({ kind: Type.Literal('chain'), chain: Type.String(), seq: Type.Integer(), what: Type.String() }),
  Type.Object({
    kind: Type.Enum(
      ['card', 'receipt', 'merchant', 'user', 'endpoint', 'form_session', 'session', 'row', 'integrity', 'key', 'orphan', 'request_log'],
      {
        description:
          'The kind of a row; integrity: a table or an index; key: a key that rows name; orphan: a row without its parent; request_log: the file of the request log.',
      },
    ),
    table: Type.String(),
    id: Type.String({ description: 'Of the row: its id, or the values of its key.' }),
    merchantId: Type.String(),
    what: Type.String(),
  }),
])

export const integrity = Type.Object({
  checked: Type.Integer({ description: 'Tables or indexes.' }),
  method: Type.String({ description: 'integrity_check (SQLite), amcheck or counts (PostgreSQL).' }),
})

export const operatorAuditVerifyContract = defineOperatorOperation('operator.audit.verify', {
  summary:
    'Recomputes the audit chains, checks the integrity of tables and indexes, every card, receipt, merchant, user, webhook endpoint, form session and sign-in against them, and the MACs of the other rows.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({
    chains: Type.Integer(),
    entries: Type.Integer(),
    cards: Type.Integer(),
    receipts: Type.Integer(),
    merchants: Type.Integer(),
    users: Type.Integer({ description: 'Users of the dashboard.' }),
    endpoints: Type.Integer({ description: 'Webhook endpoints.' }),
    formSessions: Type.Integer(),
    sessions: Type.Integer({ description: 'Sign-ins of the dashboard.' }),
    rows: Type.Integer({ description: 'Rows of the other tables with a MAC.' }),
    integrity,
    findings: Type.Array(storeFinding),
    more: Type.Boolean(),
  }),
})

export const chainName = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'The name of an audit chain, as tessera audit head lists them.',
})
const position = Type.Integer({ minimum: 0, description: 'The position of an entry in its chain, from 1.' })

export const operatorAuditHeadContract = defineOperatorOperation('operator.audit.head', {
  summary: 'Signs the last entry of every audit chain.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({
    at: isoTimestamp,
    keyId: Type.String({ description: 'The signing key.' }),
    chains: Type.Array(Type.Object({ chain: chainName, seq: position, hash: Type.String({ description: 'Hex.' }) })),
    line: Type.String({ description: 'The signed checkpoint, one line of JSON.' }),
  }),
})

export const operatorAuditPublicKeysContract = defineOperatorOperation('operator.audit.publicKeys', {
  summary: 'Returns the public keys that verify checkpoints and exports of the audit.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({
    keys: Type.Array(
      Type.Object({
        keyId: Type.String(),
        state: Type.String(),
        createdAt: isoTimestamp,
        publicKey: Type.String({ description: 'Ed25519, subject public key info as PEM.' }),
      }),
    ),
  }),
})

export const operatorAuditHashesContract = defineOperatorOperation('operator.audit.hashes', {
  summary: 'Returns the hashes of entries of an audit chain, to compare them with checkpoints.',
  mutates: false,
  params: Type.Object({ chain: chainName, seqs: Type.Array(position, { minItems: 1, maxItems: 200 }) }),
  result: Type.Object({ hashes: Type.Array(Type.Union([Type.String(), Type.Null()])) }),
})

export const operatorAuditExportContract = defineOperatorOperation('operator.audit.export', {
  summary: 'Returns a signed segment of an audit chain: at most a thousand entries after a position.',
  mutates: false,
  params: Type.Object({ chain: chainName, after: position, until: position }),
  result: Type.Object({
    segment: Type.Union([
      Type.Object({
        text: Type.String({ description: 'The signed header and the entries, a line of JSON each.' }),
        toSeq: position,
        entries: Type.Integer(),
        faults: Type.Array(Type.Object({ seq: position, fault: Type.String() })),
      }),
      Type.Null(),
    ]),
  }),
})

export const operatorAuditListContract = defineOperatorOperation('operator.audit.list', {
  summary: 'Lists audit entries, newest first: what users and operators did, or everything about one subject.',
  mutates: false,
  params: Type.Object({
    merchantId: Type.Union([merchantId, Type.Literal('')], {
      description: "A merchant id is 24 hex digits; '' for entries about the service.",
    }),
    subject: Type.Union([Type.String({ maxLength: 300 }), Type.Null()]),
    count: listLength,
  }),
  result: Type.Object({
    entries: Type.Array(
      Type.Object({
        at: isoTimestamp,
        actor: Type.String(),
        action: Type.String(),
        merchantId: Type.String(),
        subject: Type.String(),
        outcome: Type.String(),
        address: Type.String({
          description: "The caller's; empty for background jobs, operators and entries from before it was recorded.",
        }),
        changes: auditChanges,
        requestId: Type.String(),
        chain: chainName,
        seq: position,
        hash: Type.String({ description: 'Hex.' }),
      }),
    ),
  }),
})

export const operatorAuditOperations = operationsByName(
  operatorAuditVerifyContract,
  operatorAuditHeadContract,
  operatorAuditPublicKeysContract,
  operatorAuditHashesContract,
  operatorAuditExportContract,
  operatorAuditListContract,
)
