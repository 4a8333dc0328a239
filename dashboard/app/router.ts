import { signal } from '@preact/signals'

/** Where we are: `/dashboard/cards/<id>?search=6311` is page `cards`, rest `['<id>']`, query `search=6311`. */
export interface Place {
  readonly page: string
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

export const place = signal<Place>(read())

/** Goes to a path under /dashboard, as a link does. */
export function go(path: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', pathOf(path))
  place.value = read()
  if (!replace) window.scrollTo(0, 0)
}

/** The whole path of a place: `cards/65f0…` is `/dashboard/cards/65f0…`. */
export function pathOf(path: string): string {
  return `/dashboard${path === '' ? '' : '/'}${path}`
}

/** Links within the dashboard are followed here, without a load; with a modifier key, or to a place on the page itself, they are the browser's. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    place.value = read()
  })
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.defaultPrevented
    if (link === null || !isPlain || link.target !== '' || link.origin !== location.origin) return
    if (link.pathname !== '/dashboard' && !link.pathname.startsWith('/dashboard/')) return
    const isWithinPage = link.hash !== '' && link.pathname === location.pathname && link.search === location.search
    if (isWithinPage) return
    event.preventDefault()
    go(`${link.pathname.replace(/^\/dashboard\/?/, '')}${link.search}`)
  })
}

function read(): Place {
  const [, , page = '', ...rest] = location.pathname.split('/')
  return { page, rest: rest.filter((part) => part !== '').map(decode), query: new URLSearchParams(location.search) }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
