import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { docsPath } from '../components/docs-path.ts'
import { AccountMenu } from './account-menu.tsx'
import { Exports } from './export-loader.tsx'
import { GlobalSearch } from './global-search.tsx'
import { messages } from './language.ts'
import { refreshSession } from './load-session.ts'
import { MessagesError } from './lazy-messages.tsx'
import { useOverlay } from '../hooks/use-overlay.ts'
import { PageIcon } from './page-icon.tsx'
import { type PageDefinition, pageGroups, visiblePages } from './pages.ts'
import { dashboardPath, route } from './router.ts'
import { session } from './session-state.ts'

/** The layout around every page: header, navigation (a drawer on a phone) and content. */
export function Shell({ children }: { children: ComponentChildren }) {
  const text = messages.value
  const isOpen = useSignal(false)
  useOverlay(isOpen, { within: '.menu, nav', button: '.menu' })
  return (
    <div class="shell">
      <a class="skip" href="#page">
        {text.skip}
      </a>
      <header class="bar">
        <button
          type="button"
          class="bare menu"
          aria-expanded={isOpen.value}
          aria-controls="navigation"
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <span aria-hidden="true">☰</span>
          <span class="visually-hidden">{text.menu}</span>
        </button>
        <span class="brand">
          <i aria-hidden="true" />
          Tessera
        </span>
        <span class="merchant">{session.value?.merchantName}</span>
        {session.value?.environment === 'test' && <span class="tag amber">{text.testEnvironment}</span>}
        <GlobalSearch />
        <AccountMenu />
      </header>
      <nav id="navigation" class={isOpen.value ? 'open' : ''} aria-label={text.navigation}>
        {pageGroups.map((group) => (
          <section key={group}>
            {group === 'developers' && <h2>{text.developers}</h2>}
            {visiblePages()
              .filter((page) => page.group === group)
              .map(navLink)}
            {group === 'developers' && (
              <a href={docsPath.index} target="_blank" rel="noopener">
                <PageIcon name="docs" />
                {text.docs}
              </a>
            )}
          </section>
        ))}
      </nav>
      {isOpen.value && <div class="backdrop" />}
      <main id="page" tabIndex={-1}>
        <MovedTimeBanner />
        <MessagesError />
        {children}
        <p class="time-zone">{text.timeZone}</p>
        <Exports />
      </main>
    </div>
  )
}

/** Shown on every page while the test environment's clock is ahead of real time. Another user may have moved it, so it is refreshed on navigation. */
function MovedTimeBanner() {
  const { page } = route.value
  const offsetMs = session.value?.clockOffsetMs ?? 0
  const isTest = session.value?.environment === 'test'
  const loadedFor = useRef(page)
  useEffect(() => {
    // The session of the first page was loaded just before.
    if (page === loadedFor.current) return
    loadedFor.current = page
    if (isTest) void refreshSession()
  }, [page, isTest])
  if (offsetMs === 0) return null
  return (
    <p class="moved-time" role="note">
      {messages.value.timeMoved(messages.value.duration(offsetMs))} <a href={dashboardPath('sandbox')}>{messages.value.pages.sandbox}</a>
    </p>
  )
}

function navLink({ name }: PageDefinition) {
  const isCurrent = route.value.page === name
  return (
    <a key={name} href={dashboardPath(name)} {...(isCurrent ? { 'aria-current': 'page' as const } : {})}>
      <PageIcon name={name} />
      {messages.value.pages[name]}
    </a>
  )
}
