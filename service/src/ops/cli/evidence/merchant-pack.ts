import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'

import type { PageChange } from '@tessera/contract/event'
import { maxPackLength, merchantPackType } from '@tessera/contract/merchant-pack'
import type { AuditSigner } from '@tessera/vault/audit'

import { isSignedLine, parseObject, signJson } from '../../audit/checkpoint.ts'

/** What a shop shows its acquirer to rest SAQ A on its provider (PCI SSC FAQ 1588). */
export interface MerchantPack {
  /** ISO 8601, UTC. */
  readonly at: string
  /** The version of Tessera. */
  readonly version: string
  readonly environment: string
  readonly provider: string
  readonly merchant: { readonly merchantId: string; readonly name: string; readonly origins: readonly string[] }
  readonly form: {
    readonly version: string
    /** Subresource Integrity of each script. */
    readonly scripts: readonly { readonly name: string; readonly integrity: string }[]
    /** Of the form's document, for each origin of the merchant that may frame it. */
    readonly headers: Readonly<Record<string, string>>
  }
  readonly pages: readonly PackedPage[]
  /** Only those that the merchant has authorized, as they are. */
  readonly authorizedScripts: readonly PackedScript[]
  /** Scripts of the pages that are not authorized, or differ from what was. */
  readonly openScripts: number
  /** Authorized scripts that did not fit. */
  readonly leftOut: number
  /** Null in a pack that no key of the operator has signed. */
  readonly confirmation: string | null
}

export interface PackedPage {
  readonly page: string
  readonly checkedAt: string
  readonly errors: number
  readonly warnings: number
  /** What the schedule found last; `not_watched` for pasted pages, `tampered` for a row that the service did not write. */
  readonly state: string
  readonly readAt: string | null
  readonly changes: readonly PageChange[]
}

export interface PackedScript {
  readonly page: string
  readonly address: string
  readonly fingerprint: string
  readonly reason: string
  readonly authorizedAt: string
}

/**
 * What the operator confirms, in the words of FAQ 1588: that the form includes techniques that protect the merchant's page from script attacks, when it is
 * set up as instructed. The operator signs it, or there is no confirmation.
 */
export function confirmationText({ provider, merchant, form, environment }: Omit<MerchantPack, 'confirmation'>): string {
  const warning = environment === 'production' ? '' : 'Made in a test environment: it confirms nothing. '
  return (
    `${warning}${provider} confirms to ${merchant.name} (${merchant.merchantId}): the embedded card form, version ${form.version}, when set up as ${provider} ` +
    'instructs (the script by its integrity value, the form in its own frame, the page on a registered origin, no card inputs in the page itself), includes ' +
    "techniques that protect the merchant's page from script attacks on card data: card data is entered only in a frame of another origin, which scripts of the page " +
    'cannot read; the frame runs only the scripts listed here, by their hashes, and calls only its own origin, by its Content-Security-Policy and Trusted Types; it ' +
    "is framed only by the merchant's registered origins; and the pages listed here are read again by a schedule, and their scripts and headers compared. " +
    'It covers the form of the provider, not the other scripts of the page, and no page that is not listed.'
  )
}

/** The pack as one line of JSON, short enough to be published. The last member is the signature of the line without it. */
export function formatMerchantPack(pack: MerchantPack, signer: OperatorSigner | AuditSigner | string): string {
  let scripts = pack.authorizedScripts
  for (;;) {
    const content = { type: merchantPackType, ...pack, authorizedScripts: scripts, leftOut: pack.authorizedScripts.length - scripts.length }
    const line =
      typeof signer === 'string'
        ? JSON.stringify({ ...content, unsigned: signer })
        : signJson(signer, { ...content, keyId: signer.keyId, publicKey: signer.publicKey })
    if (line.length <= maxPackLength || scripts.length === 0) return line
    scripts = scripts.slice(0, Math.floor(scripts.length * 0.9))
  }
}

/** Whether one of the keys signed this line, and it is a pack of a merchant. */
export function isSignedMerchantPack(line: string, keys: readonly KeyObject[]): boolean {
  return parseObject(line.trim())?.['type'] === merchantPackType && isSignedLine(keys, line.trim())
}

/** A key of the operator, which neither the service nor its key store has. */
export interface OperatorSigner extends AuditSigner {
  /** Tells it from the keys of the audit. */
  readonly isOperators: true
}

/** Reads an Ed25519 private key in PEM (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it. Throws for anything else. */
export function readOperatorSigner(pem: string): OperatorSigner {
  const privateKey = createPrivateKey(pem)
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new RangeError(`it is ${String(privateKey.asymmetricKeyType)}`)
  const publicKey = createPublicKey(privateKey)
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 32)
  return {
    isOperators: true,
    keyId,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  }
}

/** The pack for people, in Markdown. */
export function printMerchantPack(pack: MerchantPack, signature: string): string {
  const { at, version, environment, provider, merchant, form, pages, authorizedScripts, openScripts, confirmation } = pack
  const row = (...cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`
  return `# Evidence for ${merchant.name}, ${at}

Merchant ${merchant.merchantId} of ${provider}. Tessera ${version}, environment ${environment}. Origins: ${merchant.origins.join(', ') || 'none'}. ${signature}

## Confirmation

${confirmation ?? 'None: no key of the operator has signed this pack. It states facts, and confirms nothing.'}

## The card form, version ${form.version}

| script | integrity |
| --- | --- |
${form.scripts.map(({ name, integrity }) => row(name, `\`${integrity}\``)).join('\n')}

| header of its document | value |
| --- | --- |
${Object.entries(form.headers)
  .map(([name, value]) => row(name, value))
  .join('\n')}

## Pages that were checked

| page | checked | errors | warnings | read again | state | changes |
| --- | --- | --- | --- | --- | --- | --- |
${pages.map((each) => row(each.page, each.checkedAt, String(each.errors), String(each.warnings), each.readAt ?? 'not yet', each.state, each.changes.map(({ what, change, name }) => `${what} ${change} ${name}`).join('; '))).join('\n')}

## Scripts that the merchant has authorized

${String(openScripts)} scripts of these pages are not authorized, or differ from what was.

| page | script | fingerprint | why | authorized |
| --- | --- | --- | --- | --- |
${authorizedScripts.map((each) => row(each.page, each.address, each.fingerprint, each.reason, each.authorizedAt)).join('\n')}
`
}
