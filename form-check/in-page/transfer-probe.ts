import type { ProbeEvent, ProbeNames } from '../src/live/probe-protocol.ts'

/**
 * Runs in every document before the page's own scripts and reports what the page hands to the APIs that send data. Like the page probe it is
 * sent to the browser as text.
 */
export function installTransferProbe({ key, report: reportName }: ProbeNames): void {
  const page = globalThis as unknown as Record<string, unknown>
  if (key in page) return
  const binding = page[reportName] as ((event: ProbeEvent) => Promise<void>) | undefined
  const limits = { events: 500, text: 60_000 }
  let eventCount = 0
  const report = (event: ProbeEvent): void => {
    eventCount += 1
    if (eventCount <= limits.events) void binding?.(event).catch(() => undefined)
  }

  hookSendingApis()
  addEventListener('message', ({ data, origin }: MessageEvent) => report({ kind: 'message', to: origin, text: toText(data) }), true)

  function hookSendingApis(): void {
    hookFetch()
    hookXhr()
    const sendBeacon = navigator.sendBeacon.bind(navigator)
    navigator.sendBeacon = (to, body) => {
      reportSent('sendBeacon', String(to), body)
      return sendBeacon(to, body)
    }
    hookSend(WebSocket.prototype, 'WebSocket', (socket) => socket.url)
    if ('RTCDataChannel' in globalThis) hookSend(RTCDataChannel.prototype, 'RTCDataChannel', ({ label }) => label)
    for (const channel of [MessagePort.prototype, BroadcastChannel.prototype]) {
      const { postMessage } = channel
      channel.postMessage = function (this: unknown, ...args: unknown[]) {
        report({ kind: 'message', to: '', text: toText(args[0]) })
        Reflect.apply(postMessage, this, args)
      }
    }
  }

  function hookFetch(): void {
    const { fetch } = globalThis
    globalThis.fetch = (...args) => {
      const [to, init] = args
      const address = to instanceof Request ? to.url : String(to)
      reportSent('fetch', address, init?.body)
      if (to instanceof Request && init?.body === undefined)
        void to
          .clone()
          .text()
          .then(
            (text) => reportSent('fetch', address, text),
            () => undefined,
          )
      return fetch.apply(globalThis, args)
    }
  }

  function hookXhr(): void {
    const addresses = new WeakMap<XMLHttpRequest, string>()
    const { open, send } = XMLHttpRequest.prototype
    XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
      addresses.set(this, String(args[1]))
      Reflect.apply(open, this, args)
    }
    XMLHttpRequest.prototype.send = function (this: XMLHttpRequest, body) {
      reportSent('XMLHttpRequest', addresses.get(this) ?? '', body)
      send.call(this, body)
    }
  }

  function hookSend<T extends { send: (...args: never[]) => void }>(
    prototype: T,
    by: 'WebSocket' | 'RTCDataChannel',
    addressOf: (instance: T) => string,
  ): void {
    const { send } = prototype
    prototype.send = function (this: T, ...args: never[]) {
      reportSent(by, addressOf(this), args[0])
      Reflect.apply(send, this, args)
    }
  }

  function reportSent(by: Extract<ProbeEvent, { kind: 'sent' }>['by'], to: string, body: unknown): void {
    const address = URL.parse(to, location.href)?.href ?? to
    if (body instanceof Blob) void body.text().then((text) => report({ kind: 'sent', by, to: address, text: text.slice(0, limits.text) }))
    else report({ kind: 'sent', by, to: address, text: toText(body) })
  }

  function toText(body: unknown): string {
    if (body === undefined || body === null) return ''
    if (typeof body === 'string') return body.slice(0, limits.text)
    if (body instanceof URLSearchParams) return body.toString().slice(0, limits.text)
    if (body instanceof FormData)
      return [...body]
        .map((pair) => pair.map(String).join('='))
        .join('&')
        .slice(0, limits.text)
    if (body instanceof ArrayBuffer) return new TextDecoder('latin1').decode(body.slice(0, limits.text))
    if (ArrayBuffer.isView(body)) return new TextDecoder('latin1').decode(body).slice(0, limits.text)
    if (body instanceof Document) return body.documentElement.outerHTML.slice(0, limits.text)
    try {
      return JSON.stringify(body).slice(0, limits.text)
    } catch {
      return ''
    }
  }
}
