import { checkPage } from '@tessera/form-check/check-page'
import type { InventoryScript } from '@tessera/form-check/inventory'
import { rules } from '@tessera/form-check/rules'

import type { PageScript, PageText, ParsedPage } from './parsed-page.ts'

function parsePage({ page, text, policies, origin, formOrigin }: PageText): ParsedPage {
  const { findings, scripts } = checkPage({ path: page, text, policies, origin }, formOrigin)
  const broken = findings.filter(({ rule }) => rules[rule].severity !== 'info')
  return {
    findings: broken
      .slice(0, findingsMax)
      .map(({ rule, line, column, shown, text }) => ({ rule, line, column, shown: joinTexts(shown, text) })),
    scripts: scripts.slice(0, scriptsMax).map(tellScript),
    isCut: broken.length > findingsMax || scripts.length > scriptsMax,
  }
}

/** The element and what a person reads about it, in one. */
function joinTexts(shown: string, text: string): string {
  return text === '' ? shown : `${shown} “${text}”`.slice(0, shownMax)
}

function tellScript({ address, sha256, integrity, party }: InventoryScript): PageScript {
  const isInline = address.startsWith('inline ')
  return {
    address: address.slice(0, textMax),
    name: isInline ? `inline ${sha256 ?? ''}` : address,
    fingerprint: (sha256 === null ? pinnedBy(integrity) : `sha256-${sha256}`).slice(0, textMax),
    integrity: integrity?.slice(0, textMax) ?? '',
    party,
  }
}

/** Browsers ignore a value without a hash that they know (W3C Subresource Integrity), and load any content: such a script is not pinned. */
function pinnedBy(integrity: string | null): string {
  return integrity !== null && /(^|\s)sha(256|384|512)-/i.test(integrity) ? integrity : ''
}

const findingsMax = 200
const scriptsMax = 100
const textMax = 500
const shownMax = 160

// Each process parses one page and then exits; it also exits with its parent.
process.once('message', (page) => {
  process.send?.(parsePage(page as PageText), () => process.disconnect())
})
