import type { FrameOptions } from '@tessera/contract/frame'

/** What a snippet names. */
export interface SnippetPlace {
  readonly merchantId: string
  /** Where form and SDK are. */
  readonly origin: string
  readonly sdk: { readonly version: string; readonly integrity: string; readonly moduleIntegrity: string }
}

export type Way = 'script' | 'module' | 'element' | 'react'

/** A file to copy, by its name, in the order in which they are read. */
export type Snippets = readonly (readonly [name: string, text: string])[]

/** How a page takes the form with these options, in one of four ways. No script stands inline, so that the page's own policy may forbid that. */
export function writeSnippets(way: Way, place: SnippetPlace, options: FrameOptions): Snippets {
  return { script: asScript, module: asModule, element: asElement, react: asReact }[way](place, options)
}

/** What the page's Content-Security-Policy has to allow. What is built into a bundle is a script of the page's own. */
export function writePolicy(way: Way, { origin }: SnippetPlace): string {
  const scripts = way === 'react' ? '' : `script-src 'self' ${origin}; `
  return `Content-Security-Policy: ${scripts}frame-src ${origin}`
}

function asScript(place: SnippetPlace, options: FrameOptions): Snippets {
  return [
    ['HTML', `<div id="card"></div>\n${scriptTag(place)}\n<script src="/checkout.js"></script>`],
    ['checkout.js', `const form = new Tessera.CardForm(${literal({ merchant: place.merchantId, ...options })})\n${listening}`],
  ]
}

function asModule({ merchantId, origin, sdk }: SnippetPlace, options: FrameOptions): Snippets {
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
      `import { CardForm } from '${address}'\n\nconst form = new CardForm(${literal({ merchant: merchantId, ...options })})\n${listening}`,
    ],
  ]
}

function asElement(place: SnippetPlace, { theme, labels, button, ...plain }: FrameOptions): Snippets {
  const attributes = Object.entries({ ...plain, ...(button === false ? { button: 'false' } : {}) }).map(
    ([name, value]) => ` ${name}="${value}"`,
  )
  const objects = Object.entries({ theme, labels }).filter(([, value]) => value !== undefined)
  return [
    [
      'HTML',
      `<tessera-card merchant="${place.merchantId}"${attributes.join('')}></tessera-card>\n${scriptTag(place)}\n<script src="/checkout.js"></script>`,
    ],
    [
      'checkout.js',
      `const card = document.querySelector('tessera-card')
${objects.map(([name, value]) => `card.${name} = ${literal(value)}\n`).join('')}card.addEventListener('tessera-token', ({ detail }) => sendToYourServer(detail.token))
card.addEventListener('tessera-error', ({ detail }) => console.warn(detail.reason, detail.message))`,
    ],
  ]
}

function asReact({ merchantId, origin }: SnippetPlace, options: FrameOptions): Snippets {
  return [
    [
      'checkout.jsx',
      `import { TesseraCardForm } from '@tessera/browser/react'

const options = ${literal({ merchant: merchantId, formOrigin: origin, ...options })}

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

function scriptTag({ origin, sdk }: SnippetPlace): string {
  return `<script src="${origin}/sdk/${sdk.version}/tessera.js"\n  integrity="${sdk.integrity}" crossorigin="anonymous"></script>`
}

/** An object as a person writes it. No text ends the script that it is pasted into, whatever a label says. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const deeper = `${indent}  `
  const members = Object.entries(value).map(([name, member]) => `${deeper}${name}: ${literal(member, deeper)},\n`)
  return `{\n${members.join('')}${indent}}`
}

function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner.replace(/[<>\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`
}

const listening = `form.on('token', ({ token, card }) => sendToYourServer(token))
form.on('error', ({ reason, message }) => console.warn(reason, message))
form.mount('#card')`
