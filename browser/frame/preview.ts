/**
 * Runs before the form in the document that the dashboard's form builder shows, and plays the service: nothing is asked of anybody, and the document's policy would
 * let nothing out. Any card is taken, and the code is 666666.
 */
const replies: Readonly<Record<string, object>> = {
  'cards.create': { card: { token: 'preview' } },
  'cards.get_verify_code': { sent: true, phone: '99890*****66', wait: 60_000 },
  'cards.verify': { card: { number: '8600***6311', expire: '0399', recurrent: false, verify: true, type: '22618' } },
}
const wrongCode = { error: { code: -31_103, reason: 'wrong_code' } }

globalThis.fetch = (path, options) => {
  const method = typeof path === 'string' ? path.slice('/api/'.length) : ''
  const body = typeof options?.body === 'string' ? options.body : ''
  const isWrong = method === 'cards.verify' && !body.includes('"666666"')
  return Promise.resolve(Response.json(isWrong ? wrongCode : { result: replies[method] }))
}

/** A step is shown because somebody presses a button beside the frame: the focus stays there. */
HTMLElement.prototype.focus = () => undefined

const { origin } = JSON.parse(document.getElementById('tessera')?.textContent ?? '{}') as { readonly origin: string }

/** The page that holds the frame says which step it wants to see: `{preview: 'code'}`. */
addEventListener('message', ({ source, origin: from, data: said }: MessageEvent) => {
  if (source !== parent || from !== origin) return
  const wanted = (said as { preview?: unknown } | null)?.preview
  if (typeof wanted === 'string') void show(wanted)
})

async function show(wanted: string): Promise<void> {
  find('.back').click()
  if (wanted === 'faults') press('form.card')
  if (wanted !== 'code' && wanted !== 'done') return
  type('#number', '8600069195406311')
  type('#expiry', '03/99')
  press('form.card')
  await appears('form.code')
  if (wanted === 'code') return
  type('#code', '666666')
  press('form.code')
}

/** A turn of the clock at a time, as long as a form takes that waits for nobody; a form that never comes is given up. */
async function appears(selector: string): Promise<void> {
  for (let turn = 0; find(selector).hidden && turn < turnsMax; turn++) await new Promise((done) => setTimeout(done))
}

function press(selector: string): void {
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
  const found = document.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`nothing is at ${selector}`)
  return found
}

const turnsMax = 200
