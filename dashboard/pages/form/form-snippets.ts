import type { FrameOptions } from '@tessera/contract/frame'

/** The values that appear in a snippet. */
export interface SnippetContext {
  readonly merchantId: string
  /** Where the form and the SDK are served. */
  readonly origin: string
  readonly sdk: { readonly version: string; readonly integrity: string; readonly moduleIntegrity: string }
}

export type SnippetKind = 'script' | 'module' | 'element' | 'react'

/** The files to copy, with their names, in reading order. */
export type SnippetFiles = readonly (readonly [name: string, text: string])[]

/** Code that puts the form with these options on a page. No inline scripts, so that the page's Content-Security-Policy may forbid them. */
export function formSnippets(kind: SnippetKind, context: SnippetContext, options: FrameOptions): SnippetFiles {
  return { script: scriptSnippet, module: moduleSnippet, element: elementSnippet, react: reactSnippet }[kind](context, options)
}

/** What the page's Content-Security-Policy has to allow. With React the SDK is bundled into the page's own script. */
export function formatPolicy(kind: SnippetKind, { origin }: SnippetContext): string {
  const scripts = kind === 'react' ? '' : `script-src 'self' ${origin}; `
  return `Content-Security-Policy: ${scripts}frame-src ${origin}`
}

function scriptSnippet(context: SnippetContext, options: FrameOptions): SnippetFiles {
  return [
    ['HTML', `<div id="card"></div>\n${scriptTag(context)}\n<script src="/checkout.js"></script>`],
    ['checkout.js', `const form = new Tessera.CardForm(${toLiteral({ merchant: context.merchantId, ...options })})\n${listeners}`],
  ]
}

function moduleSnippet({ merchantId, origin, sdk }: SnippetContext, options: FrameOptions): SnippetFiles {
  const address = `${origin}/sdk/${sdk.version}/tessera.mjs`
  return [
    [
      'HTML',
      `<div id="card"></div>
<link rel="modulepreload" href="${address}"
  integrity="${sdk.moduleIntegrity}" crossorigin="anonymous">
<script type="module" src="/checkout.js"></script>`,
    ],
    [
      'checkout.js',
      `import { CardForm } from '${address}'\n\nconst form = new CardForm(${toLiteral({ merchant: merchantId, ...options })})\n${listeners}`,
    ],
  ]
}

function elementSnippet(context: SnippetContext, { appearance, theme, labels, button, ...plain }: FrameOptions): SnippetFiles {
  const attributes = Object.entries({ ...plain, ...(button === false ? { button: 'false' } : {}) }).map(
    ([name, value]) => ` ${name}="${value}"`,
  )
  const objects = Object.entries({ appearance, theme, labels }).filter(([, value]) => value !== undefined)
  return [
    [
      'HTML',
      `<tessera-card merchant="${context.merchantId}"${attributes.join('')}></tessera-card>\n${scriptTag(context)}\n<script src="/checkout.js"></script>`,
    ],
    [
      'checkout.js',
      `const card = document.querySelector('tessera-card')
${objects.map(([name, value]) => `card.${name} = ${toLiteral(value)}\n`).join('')}card.addEventListener('tessera-token', ({ detail }) => sendToYourServer(detail.token))
card.addEventListener('tessera-error', ({ detail }) => console.warn(detail.reason, detail.message))`,
    ],
  ]
}

function reactSnippet({ merchantId, origin }: SnippetContext, options: FrameOptions): SnippetFiles {
  return [
    [
      'checkout.jsx',
      `import { TesseraCardForm } from '@tessera/browser/react'

const options = ${toLiteral({ merchant: merchantId, formOrigin: origin, ...options })}

export const Checkout = () => (
  <TesseraCardForm
    {...options}
    onToken={({ token }) => sendToYourServer(token)}
    onError={({ reason, message }) => console.warn(reason, message)}
  />
)`,
    ],
  ]
}

function scriptTag({ origin, sdk }: SnippetContext): string {
  return `<script src="${origin}/sdk/${sdk.version}/tessera.js"\n  integrity="${sdk.integrity}" crossorigin="anonymous"></script>`
}

/** A JavaScript literal as a person would write it. No label can end the script element it is pasted into. */
function toLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const deeper = `${indent}  `
  const members = Object.entries(value).map(([name, member]) => `${deeper}${toMemberName(name)}: ${toLiteral(member, deeper)},\n`)
  return `{\n${members.join('')}${indent}}`
}

function toMemberName(name: string): string {
  return /^[a-z]\w*$/i.test(name) ? name : quote(name)
}

function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner.replace(/[<>\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`
}

const listeners = `form.on('token', ({ token, card }) => sendToYourServer(token))
form.on('error', ({ reason, message }) => console.warn(reason, message))
form.mount('#card')`
