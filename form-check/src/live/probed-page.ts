import type { BrowserContext, Frame, Page, Request } from 'playwright-core'

import { FormCheckError } from '../finding.ts'

import type { ElementSnapshot, OutlineItem, PageProbe, PageSnapshot, ProbeEvent, ProbeNames, TimerProbe } from './probe-protocol.ts'

/** Data that left the page, or would have left it. */
export interface OutgoingTransfer {
  /** The API or the type of request that sent it. */
  readonly by: string
  readonly to: string
  readonly text: string
  /** The address of the frame that sent it. */
  readonly from: string
}

/** Stands between the body and the headers of a recorded request. */
export const headerMark = '\n\u0000headers\n'

/** Everything observed on a page. Each list has at most `maxEntries` entries. */
export interface PageActivity {
  readonly transfers: OutgoingTransfer[]
  readonly messages: string[]
  readonly consoleLines: string[]
  /** What the page asked with `prompt`. */
  readonly questions: string[]
  readonly blockedLoads: { directive: string; address: string }[]
  /** Scripts as they were added, and pages as they were when an input was added. Some are removed again before the snapshot. */
  readonly addedScripts: { readonly element: ElementSnapshot; readonly frame: Frame }[]
  readonly addedFields: { readonly items: readonly OutlineItem[]; readonly frame: Frame }[]
  /** Scripts that the page loaded, by address. */
  readonly scriptBodies: Map<string, string>
}

export interface ProbedPage {
  readonly page: Page
  readonly activity: PageActivity
  /** Takes a snapshot of a frame. Null when the frame is gone or cannot be read; throws `FormCheckError` for the main frame. */
  takeSnapshot(frame: Frame): Promise<PageSnapshot | null>
  /** Does something with the element that has a selector of a snapshot. Returns false when that is not possible. */
  perform(frame: Frame, action: ProbeAction, selector: string, argument?: string): Promise<boolean>
  valueOf(frame: Frame, selector: string): Promise<string>
  /** Waits until the page has no request and no timer left, at most for the given time. */
  settle(limitMs: number): Promise<void>
  /** From now on questions of `prompt` are answered; null dismisses the dialog. */
  answerPrompts(answerOf: (question: string) => string | null): void
}

export type ProbeAction = 'focus' | 'click' | 'press' | 'choose' | 'pressDigits' | 'scrollThrough'

/** Opens an empty page whose documents are observed from their first script on. */
export async function openProbedPage(context: BrowserContext, names: ProbeNames): Promise<ProbedPage> {
  const activity: PageActivity = {
    transfers: [],
    messages: [],
    consoleLines: [],
    questions: [],
    blockedLoads: [],
    addedScripts: [],
    addedFields: [],
    scriptBodies: new Map(),
  }
  const { installPageProbe } = (await import(new URL('../../in-page/page-probe.ts', import.meta.url).href)) as {
    installPageProbe: (names: ProbeNames) => void
  }
  const { installTransferProbe } = (await import(new URL('../../in-page/transfer-probe.ts', import.meta.url).href)) as {
    installTransferProbe: (names: ProbeNames) => void
  }
  const { installTimerProbe } = (await import(new URL('../../in-page/timer-probe.ts', import.meta.url).href)) as {
    installTimerProbe: (names: ProbeNames) => void
  }
  await context.exposeBinding(names.report, ({ frame }: { frame: Frame }, event: ProbeEvent) => recordEvent(activity, event, frame))
  await context.addInitScript(installTimerProbe, names)
  await context.addInitScript(installTransferProbe, names)
  await context.addInitScript(installPageProbe, names)
  const page = await context.newPage()
  recordPageEvents(page, activity)
  let answerOf = (_question: string): string | null => null
  page.on('dialog', (dialog) => {
    const answer = dialog.type() === 'prompt' ? answerOf(dialog.message()) : null
    if (dialog.type() === 'prompt') record(activity.questions, dialog.message().slice(0, maxQuestionLength))
    void (answer === null ? dialog.dismiss() : dialog.accept(answer)).catch(() => undefined)
  })
  const requests = trackRequests(page)
  return {
    page,
    activity,
    takeSnapshot: (frame) => takeSnapshot(page, frame, names.key),
    perform: (frame, action, selector, argument = '') => perform(frame, { key: names.key, action, selector, argument }),
    valueOf: (frame, selector) =>
      withinTime(
        frame
          .evaluate(({ key, path }) => (globalThis as unknown as Record<string, PageProbe | undefined>)[key]?.valueOf(path) ?? '', {
            key: names.key,
            path: selector,
          })
          .catch(() => ''),
        '',
      ),
    settle: (limitMs) => settle(page, { timers: names.timers, requests, limitMs }),
    answerPrompts: (answer) => void (answerOf = answer),
  }
}

/** The browser's own record, beside the probe's: neither of the two has to be trusted alone. */
function recordPageEvents(page: Page, activity: PageActivity): void {
  page.context().on('request', (request) => recordRequest(activity, request))
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) =>
      record(activity.transfers, { by: 'WebSocket', to: socket.url(), text: payload.toString('latin1'), from: page.url() }),
    ),
  )
  page.on('console', (line) => record(activity.consoleLines, line.text().slice(0, maxTextLength)))
  page.on('pageerror', (err) => record(activity.consoleLines, err.message.slice(0, maxTextLength)))
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script' || activity.scriptBodies.size >= maxEntries) return
    void response.text().then(
      (text) => activity.scriptBodies.set(response.url(), text.slice(0, maxBodyLength)),
      () => undefined,
    )
  })
}

async function takeSnapshot(page: Page, frame: Frame, key: string): Promise<PageSnapshot | null> {
  if (frame === page.mainFrame()) await observeDeclaredRoots(page, key).catch(() => undefined)
  const snapshot = frame.evaluate(
    (name) => (globalThis as unknown as Record<string, PageProbe | undefined>)[name]?.takeSnapshot() ?? null,
    key,
  )
  const timeout = new Promise<null>((resolve) => setTimeout(resolve, snapshotTimeoutMs, null).unref())
  const result = await Promise.race([snapshot.catch(() => null), timeout])
  // A page that could not be inspected must not pass as clean.
  if (result === null && frame === page.mainFrame())
    throw new FormCheckError(`${page.url()} could not be inspected: it hangs, navigated away, or broke the script that inspects it.`)
  return result
}

async function perform(frame: Frame, args: { key: string; action: ProbeAction; selector: string; argument: string }): Promise<boolean> {
  const result = frame.evaluate(
    ({ key, action, selector, argument }) =>
      (globalThis as unknown as Record<string, PageProbe | undefined>)[key]?.[action](selector, argument) ?? false,
    args,
  )
  return withinTime(
    result.catch(() => false),
    false,
  )
}

/** Requests that may still change the page. A long poll does not keep it from being settled. */
function trackRequests(page: Page): ReadonlyMap<Request, number> {
  const pending = new Map<Request, number>()
  page.on('request', (request) => {
    if (/^(document|script|xhr|fetch|stylesheet)$/.test(request.resourceType())) pending.set(request, performance.now())
  })
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => pending.delete(request))
  return pending
}

async function settle(
  page: Page,
  { timers, requests, limitMs }: { timers: string; requests: ReadonlyMap<Request, number>; limitMs: number },
): Promise<void> {
  const end = performance.now() + limitMs
  for (let quiet = 0; quiet < quietPolls && performance.now() < end;) {
    await page.waitForTimeout(Math.min(pollMs, Math.max(0, end - performance.now())))
    const remaining = end - performance.now()
    const waits = page.frames().map((frame) =>
      withinTime(
        frame
          .evaluate((name) => (globalThis as unknown as Record<string, TimerProbe | undefined>)[name]?.pendingMs() ?? 0, timers)
          .catch(() => 0),
        0,
      ),
    )
    const waited = Math.max(0, ...(await Promise.all(waits)))
    const hasRequest = [...requests.values()].some((since) => performance.now() - since < maxRequestMs)
    // A timer that is due after the limit is not waited for.
    quiet = hasRequest || (waited > 0 && waited < remaining) ? 0 : quiet + 1
  }
}

function withinTime<T>(result: Promise<T>, otherwise: T): Promise<T> {
  return Promise.race([result, new Promise<T>((resolve) => setTimeout(resolve, evaluateTimeoutMs, otherwise).unref())])
}

/** A closed shadow root declared in the markup is created without attachShadow. Only the debugger protocol reaches it. */
async function observeDeclaredRoots(page: Page, key: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  try {
    const { root } = await session.send('DOM.getDocument', { depth: -1, pierce: true })
    const pending = [root]
    for (let node = pending.pop(), count = 0; node !== undefined && count < maxNodes; node = pending.pop(), count += 1) {
      for (const shadow of node.shadowRoots ?? []) {
        if (shadow.shadowRootType === 'user-agent') continue
        const { object } = await session.send('DOM.resolveNode', { backendNodeId: shadow.backendNodeId })
        const functionDeclaration = `function () { globalThis[${JSON.stringify(key)}]?.observe(this) }`
        if (object.objectId !== undefined) await session.send('Runtime.callFunctionOn', { objectId: object.objectId, functionDeclaration })
      }
      pending.push(...(node.children ?? []), ...(node.shadowRoots ?? []))
    }
  } finally {
    await session.detach().catch(() => undefined)
  }
}

function recordEvent(activity: PageActivity, event: ProbeEvent, frame: Frame): void {
  if (event.kind === 'sent') record(activity.transfers, { by: event.by, to: event.to, text: event.text, from: frame.url() })
  else if (event.kind === 'message') record(activity.messages, event.text)
  else if (event.kind === 'refused') record(activity.blockedLoads, { directive: event.directive, address: event.blocked })
  else if (event.kind === 'script') record(activity.addedScripts, { element: event.element, frame })
  else record(activity.addedFields, { items: event.items, frame })
}

function recordRequest(activity: PageActivity, request: Request): void {
  const from = request.isNavigationRequest() ? (request.redirectedFrom()?.url() ?? 'navigation') : frameAddressOf(request)
  const body = request.postDataBuffer()?.toString('latin1').slice(0, maxTextLength) ?? ''
  const headers = Object.entries(request.headers()).map((header) => header.join(': '))
  record(activity.transfers, {
    by: request.resourceType(),
    to: request.url(),
    text: `${body}${headerMark}${headers.join('\n')}`,
    from,
  })
}

function frameAddressOf(request: Request): string {
  try {
    return request.frame().url()
  } catch {
    return 'worker'
  }
}

function record<T>(list: T[], entry: T): void {
  if (list.length < maxEntries) list.push(entry)
}

const maxEntries = 2000
const maxTextLength = 500_000
const maxQuestionLength = 500
const maxBodyLength = 2_000_000
const maxNodes = 200_000
const snapshotTimeoutMs = 10_000
const evaluateTimeoutMs = 3000
const pollMs = 60
const quietPolls = 3
const maxRequestMs = 5000
