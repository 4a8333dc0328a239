import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

import { AccountMenu } from './account-menu.tsx'
import { words } from './language.ts'
import { refreshSession } from './load-session.ts'
import { LateWords } from './long-words.tsx'
import { useLyingOver } from './lying-over.ts'
import { pages, type PageRow } from './pages.ts'
import { pathOf, place } from './router.ts'
import { may, session } from './session-state.ts'

/** The frame of every page: the navigation at the side, as a drawer on a phone, and the page beside it. */
export function Shell({ children }: { children: ComponentChildren }) {
  const text = words.value
  const isOpen = useSignal(false)
  useLyingOver(isOpen, { within: '.menu, nav', button: '.menu' })
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
          <span class="unseen">{text.menu}</span>
        </button>
        <span class="brand">
          <i aria-hidden="true" />
          Tessera
        </span>
        <span class="merchant">{session.value?.merchantName}</span>
        {session.value?.environment === 'test' && <span class="tag amber">{text.testEnvironment}</span>}
        <AccountMenu />
      </header>
      <nav id="navigation" class={isOpen.value ? 'open' : ''} aria-label={text.navigation}>
        {(['see', 'build', 'keep'] as const).map((group) => (
          <section key={group}>
            <h2>{text.groups[group]}</h2>
            {pages.filter((page) => page.group === group && isThere(page)).map(link)}
          </section>
        ))}
      </nav>
      {isOpen.value && <div class="veil" />}
      <main id="page" tabIndex={-1}>
        <MovedTimeBanner />
        <LateWords />
        {children}
      </main>
    </div>
  )
}

function isThere({ role, testOnly }: PageRow): boolean {
  return may(role) && (testOnly !== true || session.value?.environment === 'test')
}

/** On every page while the time of the test environment is not the machine's; whoever moved it, it is seen with the next page. */
function MovedTimeBanner() {
  const { page } = place.value
  const offsetMs = session.value?.clockOffsetMs ?? 0
  const isTest = session.value?.environment === 'test'
  useEffect(() => {
    if (isTest) void refreshSession()
  }, [page, isTest])
  if (offsetMs === 0) return null
  return (
    <p class="moved-time" role="note">
      {words.value.timeMoved(words.value.span(offsetMs))} <a href={pathOf('sandbox')}>{words.value.pages.sandbox}</a>
    </p>
  )
}

function link({ name }: PageRow) {
  const isHere = place.value.page === name
  return (
    <a key={name} href={pathOf(name)} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
      {words.value.pages[name]}
    </a>
  )
}
