import type { FormCard } from '@tessera/contract/frame'
import type { CodeFormat } from '@tessera/contract/verification-code'

/**
 * Runs before the form's script in the document that the dashboard's form builder shows, and replaces the service. Nothing is sent anywhere,
 * and the document's policy would block it. Every card is accepted, and one code of the format of the document.
 */
const { origin, code } = JSON.parse(document.getElementById('tessera')?.textContent ?? '{}') as {
  readonly origin: string
  readonly code: CodeFormat
}
const rightCode = code.fixed ?? code.alphabet.slice(-1).repeat(code.length)

const card: FormCard = { number: '8600***6311', expire: '0399', recurrent: false, verify: true, type: '22618' }

const results: Readonly<Record<string, object>> = {
  'cards.create': { card: { ...card, verify: false, token: 'preview' } },
  'cards.get_verify_code': { sent: true, phone: '99890*****66', wait: 60_000, code },
  'cards.verify': { card },
}
const wrongCode = { error: { code: -31_103, reason: 'wrong_code' } }

globalThis.fetch = (path, options) => {
  const method = typeof path === 'string' ? path.slice('/api/'.length) : ''
  const body = typeof options?.body === 'string' ? options.body : ''
  const isWrongCode = method === 'cards.verify' && !body.includes(JSON.stringify(rightCode))
  return Promise.resolve(Response.json(isWrongCode ? wrongCode : { result: results[method] }))
}

/** The form builder changes steps with buttons outside the frame, and the focus has to stay there. */
HTMLElement.prototype.focus = () => undefined

/** The form builder selects the step to show: `{preview: 'code'}`. */
addEventListener('message', ({ source, origin: sender, data }: MessageEvent) => {
  if (source !== parent || sender !== origin) return
  const step = (data as { preview?: unknown } | null)?.preview
  if (typeof step === 'string') void showStep(step)
})

async function showStep(step: string): Promise<void> {
  await waitUntilComplete()
  find('.back').click()
  if (step === 'faults') submitForm('form.card')
  if (step !== 'code' && step !== 'done') return
  type('#number', '8600069195406311')
  type('#expiry', '03/99')
  submitForm('form.card')
  await waitForStep('form.code')
  if (step === 'code') return
  type('#code', rightCode)
  submitForm('form.code')
}

/** Waits for the deferred script of the form. */
function waitUntilComplete(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.querySelector('form.done') === null) return
      observer.disconnect()
      resolve()
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { childList: true, subtree: true })
    look()
  })
}

/** Waits one task at a time. The form needs a few, because every response is immediate; after `maxTasks` it is given up. */
async function waitForStep(selector: string): Promise<void> {
  for (let task = 0; find(selector).hidden && task < maxTasks; task++) await new Promise((resolve) => setTimeout(resolve))
}

function submitForm(selector: string): void {
  const form = find(selector)
  if (form instanceof HTMLFormElement) form.requestSubmit()
}

function type(selector: string, text: string): void {
  const input = find(selector)
  if (!(input instanceof HTMLInputElement)) return
  input.value = text
  input.dispatchEvent(new Event('input'))
}

function find(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector)
  if (element === null) throw new Error(`no element matches ${selector}`)
  return element
}

const maxTasks = 200
