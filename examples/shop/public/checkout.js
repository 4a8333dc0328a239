// The checkout page: mounts the card form in #card and sends its token to the shop's server. No digit of the card ever reaches this script.
const formElement = document.getElementById('card')
const statusElement = document.getElementById('status')
const paying = document.getElementById('paying')
const savedCardForm = document.querySelector('form.saved')

if (formElement !== null) openForm(formElement.dataset)
if (paying !== null) pollState(paying.dataset.order)
// One press is one payment. The server enforces that too.
savedCardForm?.addEventListener('submit', () => {
  savedCardForm.querySelector('button').disabled = true
  showStatus(savedCardForm.dataset.sending)
})

async function openForm({ merchant, formOrigin, locale, order, noForm, again, sending, unsent, tryAgain, reload }) {
  // The script was blocked, changed (its integrity does not match), or there is no connection.
  if (globalThis.Tessera === undefined) return showError(noForm, reload, () => location.reload())
  const session = await createSession(order)
  if (session === null) return showError(noForm, reload, () => location.reload())

  const dark = matchMedia('(prefers-color-scheme: dark)')
  const form = new Tessera.CardForm({ merchant, formOrigin, locale, session, save: 'ask', theme: readTheme() })
  dark.addEventListener('change', () => form.update({ theme: readTheme() }))
  form.on('ready', () => showStatus(''))
  // The form itself shows what the cardholder can correct. It cannot show these.
  form.on('error', async ({ reason }) => {
    if (reason === 'blocked_by_csp' || reason === 'frame_no_answer') showError(noForm, reload, () => location.reload())
    if (reason === 'session_ended' || reason === 'session_used_up' || reason === 'session_unknown') {
      const newSession = await createSession(order)
      if (newSession === null) return showError(noForm, reload, () => location.reload())
      form.update({ session: newSession })
      showStatus(again)
    }
  })
  form.on('token', ({ token }) => pay(token))
  form.mount('#card')

  async function pay(token) {
    showStatus(sending)
    if (savedCardForm !== null) savedCardForm.querySelector('button').disabled = true
    try {
      const response = await fetch(`/orders/${order}/pay`, { method: 'POST', body: new URLSearchParams({ token }) })
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      // The page of the order shows the result.
      location.replace(`/orders/${order}`)
    } catch {
      // Sends the same token again: the shop pays once, however often it receives it.
      showError(unsent, tryAgain, () => pay(token))
    }
  }
}

async function createSession(order) {
  try {
    const response = await fetch(`/orders/${order}/session`, { method: 'POST' })
    return response.ok ? (await response.json()).session : null
  } catch {
    return null
  }
}

/** Polls every two seconds, for ten minutes, until the result of the payment is known. */
async function pollState(order) {
  for (let polls = 0; polls < 300; polls++) {
    await new Promise((done) => setTimeout(done, 2000))
    const response = await fetch(`/orders/${order}/state`).catch(() => null)
    if (response?.ok && (await response.json()).state !== 'paying') return location.reload()
  }
}

/** The form's theme, from the page's own custom properties. */
function readTheme() {
  const style = getComputedStyle(document.documentElement)
  const names = ['accent', 'accentText', 'background', 'field', 'text', 'muted', 'border', 'error', 'success', 'focus', 'radius']
  const theme = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]))
  return { ...theme, scheme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light' }
}

function showStatus(text) {
  statusElement?.classList.remove('bad')
  if (statusElement !== null) statusElement.textContent = text
}

function showError(text, label, action) {
  showStatus(text)
  const button = document.createElement('button')
  button.textContent = label
  button.className = 'plain'
  button.addEventListener('click', action, { once: true })
  statusElement.classList.add('bad')
  statusElement.append(button)
}
