import {
  operatorAuditExportContract,
  operatorAuditHashesContract,
  operatorAuditHeadContract,
  operatorAuditListContract,
  operatorAuditPublicKeysContract,
  operatorAuditVerifyContract,
} from '@tessera/contract/operations/operator-audit'

import { operation } from './operation.ts'
import { isoTime, runWalk } from './operator.ts'

/** Recomputes the audit chains and checks every row with a MAC against them. */
export const operatorAuditVerify = operation(operatorAuditVerifyContract, {
  async run(_params, ctx, { storeCheck }) {
    const { integrity, chains, entries, rows, findings, more } = await runWalk(ctx, (options) => storeCheck.run('audit', options))
    const { card: cards, receipt: receipts, merchant: merchants, user: users, endpoint: endpoints, session: sessions } = rows
    const compared = { cards, receipts, merchants, users, endpoints, formSessions: rows.form_session, sessions, rows: rows.row }
    return { chains, entries, ...compared, integrity, findings: [...findings], more }
  },
})

/** Signs the last entry of every audit chain. */
export const operatorAuditHead = operation(operatorAuditHeadContract, {
  async run(_params, _ctx, { auditArchive }) {
    const { at, keyId, heads, line } = await auditArchive.head()
    return { at, keyId, chains: heads.map(({ chain, seq, hash }) => ({ chain, seq, hash: toHex(hash) })), line }
  },
})

/** Returns the public keys that verify checkpoints and exports. */
export const operatorAuditPublicKeys = operation(operatorAuditPublicKeysContract, {
  async run(_params, _ctx, { auditArchive }) {
    const keys = await auditArchive.publicKeys()
    return { keys: keys.map(({ keyId, state, createdAt, publicKey }) => ({ keyId, state, createdAt: isoTime(createdAt), publicKey })) }
  },
})

/** Returns the hashes of entries, to compare them with checkpoints. */
export const operatorAuditHashes = operation(operatorAuditHashesContract, {
  run: async ({ chain, seqs }, _ctx, { auditArchive }) => ({ hashes: await auditArchive.hashes(chain, seqs) }),
})

/** Returns a signed segment of a chain. */
export const operatorAuditExport = operation(operatorAuditExportContract, {
  async run({ chain, after, until }, _ctx, { auditArchive }) {
    const segment = await auditArchive.segment(chain, after, until)
    return { segment: segment === null ? null : { ...segment, faults: [...segment.faults] } }
  },
})

/** Lists audit entries, newest first. */
export const operatorAuditList = operation(operatorAuditListContract, {
  async run({ merchantId, subject, count }, _ctx, { auditArchive }) {
    const entries = await auditArchive.list({ merchantId, subject, count })
    return {
      entries: entries.map(({ at, hash, changes, keyId: _keyId, mac: _mac, version: _version, ...entry }) => ({
        ...entry,
        at: isoTime(at),
        changes: [...changes],
        hash: toHex(hash),
      })),
    }
  },
})

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
