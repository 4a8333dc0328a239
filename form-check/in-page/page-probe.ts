import type { ElementSnapshot, PageProbe, PageSnapshot, ProbeEvent, ProbeNames } from '../src/live/probe-protocol.ts'

/**
 * Runs in every document before the page's own scripts. It keeps a reference to each shadow root, closed ones too, reports each input and
 * script as it is added (it may be removed again before the snapshot), and reports what the page hands to the APIs that send data.
 *
 * The function is sent to the browser as text, so everything that it uses is inside it.
 */
export function installPageProbe({ key, report: reportName }: ProbeNames): void {
  const page = globalThis as unknown as Record<string, unknown>
  if (key in page) return
  const binding = page[reportName] as ((event: ProbeEvent) => Promise<void>) | undefined
  const limits = { events: 500, text: 60_000, markup: 2_000_000, elements: 3000, rows: 200 }
  let eventCount = 0
  const report = (event: ProbeEvent): void => {
    eventCount += 1
    if (eventCount <= limits.events) void binding?.(event).catch(() => undefined)
  }
  const roots = new Set<Document | ShadowRoot>()

  hookShadowRoots()
  hookSendingApis()
  observe(document)
  addEventListener('message', ({ data, origin }: MessageEvent) => report({ kind: 'message', to: origin, text: toText(data) }), true)
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective: directive, blockedURI: blocked }) =>
    report({ kind: 'refused', directive, blocked }),
  )
  const probe: PageProbe = { observe: (root) => observe(root as ShadowRoot), takeSnapshot, focus, press }
  Object.defineProperty(page, key, { value: probe })

  function hookShadowRoots(): void {
    const attach = Element.prototype.attachShadow
    Element.prototype.attachShadow = function attachShadow(this: Element, init) {
      const root = attach.call(this, init)
      observe(root)
      return root
    }
  }

  function observe(root: Document | ShadowRoot): void {
    if (roots.has(root)) return
    roots.add(root)
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) reportAdded(node)
    }).observe(root, { childList: true, subtree: true })
  }

  function reportAdded(added: Element): void {
    for (const element of [added, ...added.querySelectorAll('input, script')].slice(0, 50))
      if (element.matches('input, script')) report({ kind: 'element', element: readElement(element) })
  }

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

  async function takeSnapshot(): Promise<PageSnapshot> {
    const selector = 'input, textarea, select, form, script, iframe, a, button, [contenteditable]'
    const elements = [...roots].flatMap((root) => [...root.querySelectorAll(selector)]).slice(0, limits.elements)
    const values = elements.map((element) => ('value' in element && typeof element.value === 'string' ? element.value : ''))
    const markup = [...roots].map((root) => (root instanceof Document ? root.documentElement.outerHTML : root.innerHTML))
    const texts = [...markup, values.join('\n'), location.href, document.title, toText(history.state), window.name]
    return { elements: elements.map(readElement), texts: texts.map((text) => text.slice(0, limits.markup)), storage: await readStorage() }
  }

  function findInput(selector: string): HTMLElement | null {
    const inputs = [...roots].flatMap((root) => [...root.querySelectorAll<HTMLElement>('input, textarea, [contenteditable]')])
    return inputs.find((input) => selectorOf(input) === selector) ?? null
  }

  function focus(selector: string): boolean {
    const input = findInput(selector)
    input?.scrollIntoView({ block: 'center' })
    input?.focus()
    return input !== null
  }

  function press(selector: string): boolean {
    let ancestor: Element | null = findInput(selector)
    for (let steps = 0; ancestor !== null && steps < 12; steps += 1) {
      const button = ancestor.querySelector<HTMLElement>(
        'button:not([type=reset]), input[type=submit], input[type=image], input[type=button], [role=button]',
      )
      if (button !== null) {
        button.click()
        return true
      }
      ancestor = ancestor.parentElement ?? hostOf(ancestor)
    }
    return false
  }

  async function readStorage(): Promise<PageSnapshot['storage']> {
    const storage: { name: string; text: string }[] = []
    const add = async (name: string, readText: () => string | Promise<string>): Promise<void> => {
      try {
        storage.push({ name, text: (await readText()).slice(0, limits.text) })
      } catch {
        // A document without an origin has no storage.
      }
    }
    await add('localStorage', () => JSON.stringify(Object.entries(localStorage)))
    await add('sessionStorage', () => JSON.stringify(Object.entries(sessionStorage)))
    await add('cookies', () => document.cookie)
    await add('indexedDB', readDatabases)
    await add('CacheStorage', async () => {
      const names = (await caches.keys()).slice(0, 20)
      const matches = await Promise.all(names.map(async (name) => (await caches.open(name)).matchAll()))
      const responses = matches.flat().slice(0, limits.rows)
      return (await Promise.all(responses.map(async (response) => `${response.url} ${await response.text()}`))).join('\n')
    })
    return storage
  }

  async function readDatabases(): Promise<string> {
    const texts: string[] = []
    for (const { name } of (await indexedDB.databases()).slice(0, 20)) {
      if (name === undefined) continue
      const db = await resultOf(indexedDB.open(name))
      for (const storeName of [...db.objectStoreNames].slice(0, 20)) {
        const store = db.transaction(storeName).objectStore(storeName)
        texts.push(toText(await resultOf(store.getAll(null, limits.rows))), toText(await resultOf(store.getAllKeys(null, limits.rows))))
      }
      db.close()
    }
    return texts.join('\n')
  }

  function resultOf<T>(request: IDBRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error('not readable'))
      setTimeout(() => reject(new Error('not read in time')), 3000)
    })
  }

  function readElement(element: Element): ElementSnapshot {
    const root = element.getRootNode()
    const rootKind = root instanceof ShadowRoot ? (root.mode === 'open' ? 'open shadow root' : 'closed shadow root') : 'document'
    const text =
      element instanceof HTMLInputElement ? [...(element.labels ?? [])].map((label) => label.textContent).join(' ') : element.textContent
    return {
      tag: element.localName,
      attributes: attributesOf(element),
      selector: selectorOf(element),
      root: rootKind,
      forms: formsOf(element),
      isChecked: element instanceof HTMLInputElement && element.checked,
      text: text.slice(0, element.localName === 'script' ? limits.text : 300),
    }
  }

  function formsOf(element: Element): ElementSnapshot['forms'] {
    const forms: ElementSnapshot['forms'][number][] = []
    if ('form' in element && element.form instanceof HTMLFormElement) forms.push(readForm(element.form))
    for (let current: Element | null = element; current !== null && forms.length < 5; current = hostOf(current)) {
      const form = current.closest('form')
      if (form !== null) forms.push(readForm(form))
    }
    return forms.filter(({ selector }, index) => forms.findIndex((other) => other.selector === selector) === index)
  }

  function readForm(form: Element): ElementSnapshot['forms'][number] {
    return { selector: selectorOf(form), attributes: attributesOf(form) }
  }

  function attributesOf(element: Element): Record<string, string> {
    return Object.fromEntries([...element.attributes].slice(0, 40).map(({ name, value }) => [name, value.slice(0, 2000)]))
  }

  function hostOf(element: Element): Element | null {
    const root = element.getRootNode()
    return root instanceof ShadowRoot ? root.host : null
  }

  function selectorOf(element: Element): string {
    const steps: string[] = []
    for (let current: Element | null = element; current !== null && steps.length < 8; current = current.parentElement) {
      if (current.id !== '') {
        steps.unshift(`#${CSS.escape(current.id)}`)
        break
      }
      const tag = current.localName
      const siblings = [...(current.parentNode?.children ?? [])].filter(({ localName }) => localName === tag)
      steps.unshift(siblings.length > 1 ? `${tag}:nth-of-type(${siblings.indexOf(current) + 1})` : tag)
    }
    const host = hostOf(element)
    return (host === null ? '' : `${selectorOf(host)} >>> `) + steps.join(' > ')
  }
}
