import type { BrowserContext, Request, Route, WebSocketRoute } from 'playwright-core'

import { createTraceFinder } from './card-traces.ts'
import type { OutgoingTransfer, PageActivity } from './probed-page.ts'
import { sandboxPan } from './type-cards.ts'

/**
 * From here on the card does not leave the machine: requests that carry it are aborted, and nothing leaves the page. A navigation gets an
 * empty response (204), after which a browser stays where it is.
 */
export async function guardRequests(context: BrowserContext): Promise<void> {
  const findTrace = createTraceFinder(sandboxPan)
  await context.route('**/*', async (route: Route) => {
    const request = route.request()
    const trace = findTrace(request.url()) ?? findTrace(request.postDataBuffer()?.toString('latin1') ?? '')
    const handled = isLeaving(request, trace !== null) ? route.fulfill({ status: 204 }) : trace !== null ? route.abort() : route.continue()
    await handled.catch(() => undefined)
  })
}

/** Whether the request would replace the page or send a form. A frame of the page may still load. */
function isLeaving(request: Request, hasTrace: boolean): boolean {
  if (!request.isNavigationRequest()) return false
  try {
    return hasTrace || request.method() !== 'GET' || request.frame().parentFrame() === null
  } catch {
    return true
  }
}

/** Records what the page sends over WebSockets, and drops messages that carry the card. Without `isConnected` no socket reaches a server. */
export async function guardSockets(
  context: BrowserContext,
  { activity, isConnected }: { activity: PageActivity; isConnected: boolean },
): Promise<void> {
  const findTrace = createTraceFinder(sandboxPan)
  await context.routeWebSocket(/./, (socket: WebSocketRoute) => {
    const server = isConnected ? socket.connectToServer() : null
    socket.onMessage((message) => {
      const text = typeof message === 'string' ? message : message.toString('latin1')
      const transfer: OutgoingTransfer = { by: 'WebSocket', to: socket.url(), text, from: '' }
      if (activity.transfers.length < maxTransfers) activity.transfers.push(transfer)
      if (findTrace(text) === null) server?.send(message)
    })
  })
}

const maxTransfers = 2000
