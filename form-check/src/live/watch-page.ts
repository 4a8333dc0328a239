import type { BrowserContext, Frame, Page, Request } from 'playwright-core'

import { CannotCheck } from '../cannot-check.ts'
import type { ElementFacts, PageLook, PageWatch, Told, WatchAsked } from '../page-facts.ts'

/** What left the page, or would have. */
export interface Way {
  readonly by: string
  readonly to: string
  readonly text: string
  /** The address of the frame that sent it. */
  readonly from: string
}

/** All that was heard of a page; each list has an end. */
export interface Heard {
  readonly ways: Way[]
  readonly messages: string[]
  readonly lines: string[]
  readonly refused: { directive: string; blocked: string }[]
  /** Inputs and scripts as they were added: some are gone before somebody looks. */
  readonly added: { readonly element: ElementFacts; readonly frame: Frame }[]
  /** What scripts the page loaded, by address. */
  readonly bodies: Map<string, string>
}

export interface WatchedPage {
  readonly page: Page
  readonly heard: Heard
  /** Looks into a frame; null when it is gone or cannot be read. Throws `CannotCheck` for the page itself. */
  look(frame: Frame): Promise<PageLook | null>
  /** Focuses or presses by a selector that a look told; false when it could not. */
  touch(frame: Frame, deed: 'focus' | 'press', selector: string): Promise<boolean>
}

/** Opens an empty page that is watched from its first script on. */
export async function watchPage(context: BrowserContext, names: WatchAsked): Promise<WatchedPage> {
  const heard: Heard = { ways: [], messages: [], lines: [], refused: [], added: [], bodies: new Map() }
  const { watchPage: script } = (await import(new URL('../../in-page/watch.ts', import.meta.url).href)) as {
    watchPage: (asked: WatchAsked) => void
  }
  await context.exposeBinding(names.tell, ({ frame }: { frame: Frame }, told: Told) => hear(heard, told, frame))
  await context.addInitScript(script, names)
  const page = await context.newPage()
  page.on('request', (request) => hearRequest(heard, request))
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) =>
      keep(heard.ways, { by: 'WebSocket', to: socket.url(), text: payload.toString('latin1'), from: page.url() }),
    ),
  )
  page.on('console', (line) => keep(heard.lines, line.text().slice(0, TEXT_MAX)))
  page.on('pageerror', (err) => keep(heard.lines, err.message.slice(0, TEXT_MAX)))
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined))
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script' || heard.bodies.size >= KEPT_MAX) return
    void response.text().then(
      (text) => heard.bodies.set(response.url(), text.slice(0, BODY_MAX)),
      () => undefined,
    )
  })
  return {
    page,
    heard,
    look: (frame) => look(page, frame, names.key),
    touch: (frame, deed, selector) => touch(frame, { key: names.key, deed, selector }),
  }
}

async function look(page: Page, frame: Frame, key: string): Promise<PageLook | null> {
  if (frame === page.mainFrame()) await watchDeclared(page, key).catch(() => undefined)
  const seen = frame.evaluate((name) => (globalThis as unknown as Record<string, PageWatch | undefined>)[name]?.look() ?? null, key)
  const looked = await Promise.race([seen.catch(() => null), new Promise<null>((resolve) => setTimeout(resolve, LOOK_MS, null).unref())])
  // What was not seen must not pass for clean.
  if (looked === null && frame === page.mainFrame())
    throw new CannotCheck(`${page.url()} could not be looked into: it hangs, went away, or broke what we look with.`)
  return looked
}

async function touch(frame: Frame, asked: { key: string; deed: 'focus' | 'press'; selector: string }): Promise<boolean> {
  const touched = frame.evaluate(
    ({ key, deed, selector }) => (globalThis as unknown as Record<string, PageWatch | undefined>)[key]?.[deed](selector) ?? false,
    asked,
  )
  return touched.catch(() => false)
}

/** A closed shadow root that the markup declares is made without attachShadow: the debugger sees it all the same. */
async function watchDeclared(page: Page, key: string): Promise<void> {
  const debug = await page.context().newCDPSession(page)
  try {
    const { root } = await debug.send('DOM.getDocument', { depth: -1, pierce: true })
    const waiting = [root]
    for (let node = waiting.pop(), count = 0; node !== undefined && count < NODES_MAX; node = waiting.pop(), count += 1) {
      for (const shadow of node.shadowRoots ?? []) {
        if (shadow.shadowRootType === 'user-agent') continue
        const { object } = await debug.send('DOM.resolveNode', { backendNodeId: shadow.backendNodeId })
        const declared = `function () { globalThis[${JSON.stringify(key)}]?.watch(this) }`
        if (object.objectId !== undefined)
          await debug.send('Runtime.callFunctionOn', { objectId: object.objectId, functionDeclaration: declared })
      }
      waiting.push(...(node.children ?? []), ...(node.shadowRoots ?? []))
    }
  } finally {
    await debug.detach().catch(() => undefined)
  }
}

function hear(heard: Heard, told: Told, frame: Frame): void {
  if (told.kind === 'sent') keep(heard.ways, { by: told.by, to: told.to, text: told.text, from: frame.url() })
  else if (told.kind === 'message') keep(heard.messages, told.text)
  else if (told.kind === 'refused') keep(heard.refused, { directive: told.directive, blocked: told.blocked })
  else keep(heard.added, { element: told.element, frame })
}

function hearRequest(heard: Heard, request: Request): void {
  const from = request.isNavigationRequest() ? (request.redirectedFrom()?.url() ?? 'navigation') : frameOf(request)
  const text = request.postDataBuffer()?.toString('latin1').slice(0, TEXT_MAX) ?? ''
  const headers = Object.entries(request.headers())
  keep(heard.ways, {
    by: request.resourceType(),
    to: request.url(),
    text: `${text}\n${headers.map((pair) => pair.join(': ')).join('\n')}`,
    from,
  })
}

function frameOf(request: Request): string {
  try {
    return request.frame().url()
  } catch {
    return 'worker'
  }
}

function keep<T>(list: T[], one: T): void {
  if (list.length < KEPT_MAX) list.push(one)
}

const KEPT_MAX = 2000
const TEXT_MAX = 500_000
const BODY_MAX = 2_000_000
const NODES_MAX = 200_000
const LOOK_MS = 10_000
