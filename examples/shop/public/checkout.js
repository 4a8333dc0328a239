// The checkout page: puts the card form into #card, and hands the token that it gives to the shop's server. No digit ever comes here.
const place = document.getElementById('card')
const told = document.getElementById('told')
const paying = document.getElementById('paying')
const kept = document.querySelector('form.kept')

if (place !== null) openForm(place.dataset)
if (paying !== null) watch(paying.dataset.order)
// One press is one payment; the server takes care of that too.
kept?.addEventListener('submit', () => {
  kept.querySelector('button').disabled = true
  say(kept.dataset.sending)
})

async function openForm({ merchant, formOrigin, locale, order, noForm, again, sending, unsent, tryAgain, reload }) {
  // Blocked, changed (its integrity does not fit), or no connection.
  if (globalThis.Tessera === undefined) return sayBad(noForm, reload, () => location.reload())
  const session = await askSession(order)
  if (session === null) return sayBad(noForm, reload, () => location.reload())

  const dark = matchMedia('(prefers-color-scheme: dark)')
  const form = new Tessera.CardForm({ merchant, formOrigin, locale, session, save: 'ask', theme: readTheme() })
  dark.addEventListener('change', () => form.update({ theme: readTheme() }))
  form.on('ready', () => say(''))
  // What a cardholder can mend, the form itself says. These two it cannot.
  form.on('error', async ({ reason }) => {
    if (reason === 'blocked_by_csp' || reason === 'frame_no_answer') sayBad(noForm, reload, () => location.reload())
    if (reason === 'session_ended' || reason === 'session_used_up' || reason === 'session_unknown') {
      const fresh = await askSession(order)
      if (fresh === null) return sayBad(noForm, reload, () => location.reload())
      form.update({ session: fresh })
      say(again)
    }
  })
  form.on('token', ({ token }) => pay(token))
  form.mount('#card')

  async function pay(token) {
    say(sending)
    if (kept !== null) kept.querySelector('button').disabled = true
    try {
      const reply = await fetch(`/orders/${order}/pay`, { method: 'POST', body: new URLSearchParams({ token }) })
      if (!reply.ok) throw new Error(`HTTP ${reply.status}`)
      // The page of the order says what became of it.
      location.replace(`/orders/${order}`)
    } catch {
      // The same token again: the shop pays once, however often it is told.
      sayBad(unsent, tryAgain, () => pay(token))
    }
  }
}

async function askSession(order) {
  try {
    const reply = await fetch(`/orders/${order}/session`, { method: 'POST' })
    return reply.ok ? (await reply.json()).session : null
  } catch {
    return null
  }
}

/** Asks every two seconds, for ten minutes, until the payment is known. */
async function watch(order) {
  for (let asked = 0; asked < 300; asked++) {
    await new Promise((done) => setTimeout(done, 2000))
    const reply = await fetch(`/orders/${order}/state`).catch(() => null)
    if (reply?.ok && (await reply.json()).state !== 'paying') return location.reload()
  }
}

/** The form looks as the page does. */
function readTheme() {
  const style = getComputedStyle(document.documentElement)
  const names = ['accent', 'accentText', 'background', 'field', 'text', 'muted', 'border', 'error', 'success', 'focus', 'radius']
  const theme = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]))
  return { ...theme, scheme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light' }
}

function say(text) {
  told?.classList.remove('bad')
  if (told !== null) told.textContent = text
}

function sayBad(text, deed, does) {
  say(text)
  const button = document.createElement('button')
  button.textContent = deed
  button.className = 'plain'
  button.addEventListener('click', does, { once: true })
  told.classList.add('bad')
  told.append(button)
}
