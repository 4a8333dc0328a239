import { existsSync, readFileSync } from 'node:fs'

import { bucketOf } from '@tessera/vault/id'
import { type AuthenticatedTable, makeRowAuthenticator } from '@tessera/vault/rowmac'

import { isPrivateFile } from '../../../adapters/private-file.ts'
import { formFolder } from '../../../app/built-files.ts'
import type { StartSubject } from '../../../app/start-subject.ts'
import { makeFormDocument } from '../../../server/pages/form-document.ts'
import { readFormAssets } from '../../../server/pages/form-assets.ts'
import { pageHeaders } from '../../../server/pages/form-headers.ts'
import { readSettings } from '../../../domain/merchants/settings.ts'
import { findMerchant, merchantsTable } from '../../../store/merchants.ts'
import { listPageChecks, listPageScripts, pageScriptsTable } from '../../../store/page-checks.ts'
import { listPageWatches, pageWatchesTable } from '../../../store/page-watches.ts'
import { makeSystemClock } from '../../../system-clock.ts'
import { makeAuditSigners } from '../../audit/signers.ts'
import type { Config } from '../../config/config.ts'
import { ExitError } from '../../exits.ts'
import { tesseraVersion } from '../../version.ts'
import type { CommandInput, CommandOutcome } from '../command.ts'
import { callService, displayPath } from '../control-client.ts'
import { withSubject } from '../with-subject.ts'

import { confirmationText, formatMerchantPack, type MerchantPack, printMerchantPack, readOperatorSigner } from './merchant-pack.ts'
import { readScripts, writePack } from './pack-files.ts'

/** `tessera evidence --merchant <id> --out <folder>`: what a shop shows its acquirer, signed by the operator's own key. */
export async function runMerchantPack(merchantId: string, folder: string, input: CommandInput): Promise<CommandOutcome> {
  if (!/^[0-9a-f]{24}$/.test(merchantId)) throw new ExitError('usage', 'A merchant id is 24 hex digits: tessera merchants list')
  const keyPath = input.options.get('signing-key')
  const operator = keyPath === undefined ? null : readSigningKey(keyPath)
  const isPublished = input.options.has('publish')
  if (isPublished && operator === null)
    throw new ExitError('usage', 'A pack is published with the confirmation that you sign: --signing-key <file>.')
  const { config } = input.settings()
  if (operator !== null && config.providerName === null)
    throw new ExitError('invalidSettings', 'The confirmation names you: set providerName (TESSERA_PROVIDER_NAME).')
  const { facts, signer } = await withSubject(config, (subject) => collectFacts(merchantId, config, subject))
  const pack: MerchantPack = { ...facts, confirmation: operator === null ? null : confirmationText(facts) }
  const line = formatMerchantPack(pack, operator ?? signer)
  const [by, isSigned] =
    operator === null ? [describeSigner(signer), typeof signer !== 'string'] : [`the operator’s key ${operator.keyId}`, true]
  const signature = isSigned ? `Signed by ${by} (\`evidence.json\`).` : `Not signed: ${by}`
  writePack(folder, { 'evidence.json': `${line}\n`, 'evidence.md': printMerchantPack(pack, signature) })
  if (isPublished) await callService(input, 'operator.merchants.publishEvidence', { merchantId, pack: line })
  const isClean =
    pack.openScripts === 0 && pack.pages.every(({ errors, state }) => errors === 0 && state !== 'changed' && state !== 'tampered')
  return {
    exit: isClean ? 'done' : 'findings',
    data: { folder, signed: isSigned, published: isPublished, ...pack },
    text: [
      `${String(pack.pages.length)} pages, ${String(pack.authorizedScripts.length)} authorized scripts, ${String(pack.openScripts)} open.`,
      `${signature} Written to ${displayPath(folder)}: evidence.md for people, evidence.json, SHA256SUMS.`,
      isPublished
        ? 'Published: the merchant downloads evidence.json on the page Compliance.'
        : 'Not published: --publish shows it to the merchant.',
    ].join('\n'),
  }
}

function describeSigner(signer: Awaited<ReturnType<typeof collectFacts>>['signer']): string {
  return typeof signer === 'string' ? signer : `the key ${signer.keyId} of the audit: facts, and no confirmation`
}

function readSigningKey(path: string) {
  if (!existsSync(path)) throw new ExitError('usage', `There is no file ${path}: openssl genpkey -algorithm ed25519 -out ${path}`)
  if (!isPrivateFile(path))
    throw new ExitError('usage', `Other users can read ${path}: chmod 600 it, or make another key if one of them did.`)
  try {
    return readOperatorSigner(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new ExitError(
      'usage',
      `${path} cannot be read as an Ed25519 private key in PEM: openssl genpkey -algorithm ed25519 writes one.`,
      { cause },
    )
  }
}

async function collectFacts(merchantId: string, config: Config, subject: StartSubject) {
  const [database, keyring] = [await subject.database(), await subject.keyring()]
  if (!database.hasSchema || database.pending().length > 0)
    throw new ExitError('usage', 'The database has no schema of this version: start the service once.')
  const of = { bucket: bucketOf(merchantId), merchantId }
  const merchant = await database.read(findMerchant(merchantId))
  if (merchant === null) throw new ExitError('usage', `There is no merchant ${merchantId}: tessera merchants list`)
  const isValid = async <Row extends { readonly mac: Uint8Array }>(table: AuthenticatedTable<Row>, row: Row): Promise<boolean> =>
    makeRowAuthenticator<Row>(keyring, config.environment, table).hasValidMac(row)
  if (!(await isValid(merchantsTable, merchant)))
    throw new ExitError('findings', 'The row of this merchant was not written by the service: tessera store check')
  const { origins } = readSettings(merchant.settings)
  const watches = new Map((await database.read(listPageWatches(of))).map((watch) => [watch.page, watch]))
  const pages = await Promise.all(
    (await database.read(listPageChecks(of))).map(async ({ page, checkedAt, errors, warnings }) => {
      const watch = watches.get(page)
      const isOurs = watch !== undefined && (await isValid(pageWatchesTable, watch))
      const state = watch === undefined ? 'not_watched' : isOurs ? watch.state : 'tampered'
      const readAt = isOurs && watch.readAt > 0 ? toIso(watch.readAt) : null
      const changes = isOurs ? (JSON.parse(watch.changes) as MerchantPack['pages'][number]['changes']) : []
      return { page, checkedAt: toIso(checkedAt), errors, warnings, state, readAt, changes }
    }),
  )
  const checkedAt = new Map(pages.map((page) => [page.page, page.checkedAt]))
  const present = (await database.read(listPageScripts(of))).filter((script) => toIso(script.lastAt) >= (checkedAt.get(script.page) ?? '~'))
  const authorized = []
  for (const script of present) {
    const { decision, fingerprint, reviewedFingerprint } = script
    if (decision === 'authorised' && fingerprint === reviewedFingerprint && (await isValid(pageScriptsTable, script)))
      authorized.push(script)
  }
  const facts = {
    at: toIso(makeSystemClock().now()),
    version: tesseraVersion,
    environment: config.environment,
    provider: config.providerName ?? 'Tessera',
    merchant: { merchantId, name: merchant.name, origins },
    form: readForm(origins, config),
    pages,
    authorizedScripts: authorized.map(({ page, address, fingerprint, reason, reviewedAt }) => {
      return { page, address, fingerprint, reason, authorizedAt: toIso(reviewedAt) }
    }),
    openScripts: present.length - authorized.length,
    leftOut: 0,
  }
  const hasSigningKey = keyring.list().some(({ purpose, state }) => purpose === 'audit_signing' && state === 'active')
  const signer = hasSigningKey
    ? await makeAuditSigners(keyring).active()
    : 'the key store has no key that signs: the service has not run yet'
  return { facts, signer }
}

function readForm(origins: readonly string[], { formOrigin }: Config): MerchantPack['form'] {
  const scripts = readScripts()
  if (typeof scripts === 'string') throw new ExitError('findings', scripts)
  const { script, deferred, appearance, style, version } = readFormAssets(formFolder)
  const document = makeFormDocument({ scripts: [script], later: [deferred, appearance], style, connect: "'self'" })
  const host = formOrigin === null ? 'localhost' : new URL(formOrigin).host
  const policies = origins.map((origin): [string, string] => [
    `content-security-policy (framed by ${origin})`,
    document.policy(origin, host),
  ])
  return { version, scripts, headers: { ...pageHeaders, ...Object.fromEntries(policies) } }
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
