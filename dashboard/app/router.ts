import { signal } from '@preact/signals'

import { entryMember, parseRoute, type DashboardRoute } from './page-route.ts'
import { rememberScroll, restoreScroll } from './scroll-memory.ts'

/** The route of the current address. */
export const route = signal<DashboardRoute>(readRoute())

export interface Navigation {
  readonly replace?: boolean
  /** See `DashboardRoute`. */
  readonly hidden?: Readonly<Record<string, string>>
}

/** Navigates to a path under /dashboard, as a link does. */
export function navigate(path: string, { replace = false, hidden = {} }: Navigation = {}): void {
  rememberScroll(route.peek().entry)
  history[replace ? 'replaceState' : 'pushState']({ ...hidden, [entryMember]: newEntry() }, '', dashboardPath(path))
  route.value = readRoute()
  if (!replace) window.scrollTo(0, 0)
}

/** The full path of a page: `cards/65f0…` is `/dashboard/cards/65f0…`. */
export function dashboardPath(path: string): string {
  return `/dashboard${path === '' ? '' : '/'}${path}`
}

/** Follows links within the dashboard without loading a document. Clicks with a modifier key and links to an anchor of the same page are left to the browser. */
export function startRouter(): void {
  history.scrollRestoration = 'manual'
  addEventListener('popstate', () => {
    rememberScroll(route.peek().entry)
    route.value = readRoute()
    restoreScroll(route.peek().entry)
  })
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlainClick = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.defaultPrevented
    if (link === null || !isPlainClick || link.target !== '' || link.origin !== location.origin) return
    if (link.pathname !== '/dashboard' && !link.pathname.startsWith('/dashboard/')) return
    const isSamePage = link.hash !== '' && link.pathname === location.pathname && link.search === location.search
    if (isSamePage) return
    event.preventDefault()
    navigate(`${link.pathname.replace(/^\/dashboard\/?/, '')}${link.search}`)
  })
}

/** The entry that the document was loaded at may have no name yet. */
function readRoute(): DashboardRoute {
  const read = parseRoute(location, history.state)
  if (read.entry !== '') return read
  history.replaceState({ ...read.hidden, [entryMember]: newEntry() }, '')
  return parseRoute(location, history.state)
}

function newEntry(): string {
  return crypto.getRandomValues(new Uint32Array(2)).join('.')
}
