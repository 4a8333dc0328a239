import type { BrowserContext, Frame, Page, Request } from 'playwright-core'

import { FormCheckError } from '../finding.ts'

import type { ElementSnapshot, PageProbe, PageSnapshot, ProbeEvent, ProbeNames } from './probe-protocol.ts'

/** Data that left the page, or would have left it. */
export interface OutgoingTransfer {
  /** The API or the type of request that sent it. */
  readonly by: string
  readonly to: string
  readonly text: string
  /** The address of the frame that sent it. */
  readonly from: string
}

/** Everything observed on a page. Each list has at most `maxEntries` entries. */
export interface PageActivity {
  readonly transfers: OutgoingTransfer[]
  readonly messages: string[]
  readonly consoleLines: string[]
  readonly blockedLoads: { directive: string; address: string }[]
  /** Inputs and scripts as they were added. Some are removed again before the snapshot. */
  readonly addedElements: { readonly element: ElementSnapshot; readonly frame: Frame }[]
  /** Scripts that the page loaded, by address. */
  readonly scriptBodies: Map<string, string>
}

export interface ProbedPage {
  readonly page: Page
  readonly activity: PageActivity
  /** Takes a snapshot of a frame. Null when the frame is gone or cannot be read; throws `FormCheckError` for the main frame. */
  takeSnapshot(frame: Frame): Promise<PageSnapshot | null>
  /** Focuses or presses the element with a selector from a snapshot. Returns false when that is not possible. */
  perform(frame: Frame, action: 'focus' | 'press', selector: string): Promise<boolean>
}

/** Opens an empty page whose documents are observed from their first script on. */
export async function openProbedPage(context: BrowserContext, names: ProbeNames): Promise<ProbedPage> {
  const activity: PageActivity = {
    transfers: [],
    messages: [],
    consoleLines: [],
    blockedLoads: [],
    addedElements: [],
    scriptBodies: new Map(),
  }
  const { installPageProbe } = (await import(new URL('../../in-page/page-probe.ts', import.meta.url).href)) as {
    installPageProbe: (names: ProbeNames) => void
  }
  await context.exposeBinding(names.report, ({ frame }: { frame: Frame }, event: ProbeEvent) => recordEvent(activity, event, frame))
  await context.addInitScript(installPageProbe, names)
  const page = await context.newPage()
  recordPageEvents(page, activity)
  return {
    page,
    activity,
    takeSnapshot: (frame) => takeSnapshot(page, frame, names.key),
    perform: (frame, action, selector) => perform(frame, { key: names.key, action, selector }),
  }
}

/** The browser's own record, beside the probe's: neither of the two has to be trusted alone. */
function recordPageEvents(page: Page, activity: PageActivity): void {
  page.on('request', (request) => recordRequest(activity, request))
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) =>
      record(activity.transfers, { by: 'WebSocket', to: socket.url(), text: payload.toString('latin1'), from: page.url() }),
    ),
  )
  page.on('console', (line) => record(activity.consoleLines, line.text().slice(0, maxTextLength)))
  page.on('pageerror', (err) => record(activity.consoleLines, err.message.slice(0, maxTextLength)))
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined))
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

async function perform(frame: Frame, args: { key: string; action: 'focus' | 'press'; selector: string }): Promise<boolean> {
  const result = frame.evaluate(
    ({ key, action, selector }) => (globalThis as unknown as Record<string, PageProbe | undefined>)[key]?.[action](selector) ?? false,
    args,
  )
  return result.catch(() => false)
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
  else record(activity.addedElements, { element: event.element, frame })
}

function recordRequest(activity: PageActivity, request: Request): void {
  const from = request.isNavigationRequest() ? (request.redirectedFrom()?.url() ?? 'navigation') : frameAddressOf(request)
  const body = request.postDataBuffer()?.toString('latin1').slice(0, maxTextLength) ?? ''
  const headers = Object.entries(request.headers()).map((header) => header.join(': '))
  record(activity.transfers, {
    by: request.resourceType(),
    to: request.url(),
    text: `${body}\n${headers.join('\n')}`,
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
const maxBodyLength = 2_000_000
const maxNodes = 200_000
const snapshotTimeoutMs = 10_000
