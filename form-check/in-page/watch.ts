import type { ElementFacts, PageLook, PageWatch, Told, WatchAsked } from '../src/page-facts.ts'

/**
 * Runs in every document before any script of the page. It is sent as text, so it knows nothing outside itself. It keeps each shadow root, closed ones
 * too, tells each input as it is added (one may be gone before somebody looks), and what is handed to the ways out.
 */
export function watchPage({ key, tell: tellName }: WatchAsked): void {
  const page = globalThis as unknown as Record<string, unknown>
  if (key in page) return
  const tellOut = page[tellName] as ((told: Told) => Promise<void>) | undefined
  const bounds = { told: 500, text: 60_000, marks: 2_000_000, elements: 3000, stores: 200 }
  let toldCount = 0
  const tell = (told: Told): void => {
    toldCount += 1
    if (toldCount <= bounds.told) void tellOut?.(told).catch(() => undefined)
  }
  const roots = new Set<Document | ShadowRoot>()

  hookShadows()
  hookWaysOut()
  watch(document)
  addEventListener('message', ({ data: said, origin }: MessageEvent) => tell({ kind: 'message', to: origin, text: write(said) }), true)
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective: directive, blockedURI: blocked }) =>
    tell({ kind: 'refused', directive, blocked }),
  )
  const seen: PageWatch = { watch: (root) => watch(root as ShadowRoot), look, focus, press }
  Object.defineProperty(page, key, { value: seen })

  function hookShadows(): void {
    const attach = Element.prototype.attachShadow
    Element.prototype.attachShadow = function attachShadow(this: Element, init) {
      const root = attach.call(this, init)
      watch(root)
      return root
    }
  }

  function watch(root: Document | ShadowRoot): void {
    if (roots.has(root)) return
    roots.add(root)
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) tellAdded(node)
    }).observe(root, { childList: true, subtree: true })
  }

  function tellAdded(added: Element): void {
    for (const element of [added, ...added.querySelectorAll('input, script')].slice(0, 50))
      if (element.matches('input, script')) tell({ kind: 'element', element: read(element) })
  }

  function hookWaysOut(): void {
    const { fetch: ask } = globalThis
    globalThis.fetch = (...args) => {
      const [to, init] = args
      const address = to instanceof Request ? to.url : String(to)
      sent('fetch', address, init?.body)
      if (to instanceof Request && init?.body === undefined)
        void to
          .clone()
          .text()
          .then(
            (text) => sent('fetch', address, text),
            () => undefined,
          )
      return ask.apply(globalThis, args)
    }
    const addresses = new WeakMap<XMLHttpRequest, string>()
    const { open, send } = XMLHttpRequest.prototype
    XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
      addresses.set(this, String(args[1]))
      Reflect.apply(open, this, args)
    }
    XMLHttpRequest.prototype.send = function (this: XMLHttpRequest, body) {
      sent('XMLHttpRequest', addresses.get(this) ?? '', body)
      send.call(this, body)
    }
    const beacon = navigator.sendBeacon.bind(navigator)
    navigator.sendBeacon = (to, body) => {
      sent('sendBeacon', String(to), body)
      return beacon(to, body)
    }
    hookSend(WebSocket.prototype, 'WebSocket', (socket) => socket.url)
    if ('RTCDataChannel' in globalThis) hookSend(RTCDataChannel.prototype, 'RTCDataChannel', ({ label }) => label)
    for (const line of [MessagePort.prototype, BroadcastChannel.prototype]) {
      const { postMessage } = line
      line.postMessage = function (this: unknown, ...args: unknown[]) {
        tell({ kind: 'message', to: '', text: write(args[0]) })
        Reflect.apply(postMessage, this, args)
      }
    }
  }

  function hookSend<T extends { send: (...args: never[]) => void }>(
    way: T,
    by: 'WebSocket' | 'RTCDataChannel',
    address: (one: T) => string,
  ): void {
    const { send } = way
    way.send = function (this: T, ...args: never[]) {
      sent(by, address(this), args[0])
      Reflect.apply(send, this, args)
    }
  }

  function sent(by: Extract<Told, { kind: 'sent' }>['by'], to: string, body: unknown): void {
    const address = URL.parse(to, location.href)?.href ?? to
    if (body instanceof Blob) void body.text().then((text) => tell({ kind: 'sent', by, to: address, text: text.slice(0, bounds.text) }))
    else tell({ kind: 'sent', by, to: address, text: write(body) })
  }

  function write(body: unknown): string {
    if (body === undefined || body === null) return ''
    if (typeof body === 'string') return body.slice(0, bounds.text)
    if (body instanceof URLSearchParams) return body.toString().slice(0, bounds.text)
    if (body instanceof FormData)
      return [...body]
        .map((pair) => pair.map(String).join('='))
        .join('&')
        .slice(0, bounds.text)
    if (body instanceof ArrayBuffer) return new TextDecoder('latin1').decode(body.slice(0, bounds.text))
    if (ArrayBuffer.isView(body)) return new TextDecoder('latin1').decode(body).slice(0, bounds.text)
    if (body instanceof Document) return body.documentElement.outerHTML.slice(0, bounds.text)
    try {
      return JSON.stringify(body).slice(0, bounds.text)
    } catch {
      return ''
    }
  }

  async function look(): Promise<PageLook> {
    const asked = 'input, textarea, select, form, script, iframe, a, button, [contenteditable]'
    const elements = [...roots].flatMap((root) => [...root.querySelectorAll(asked)]).slice(0, bounds.elements)
    const values = elements.map((element) => ('value' in element && typeof element.value === 'string' ? element.value : ''))
    const texts = [...roots].map((root) => (root instanceof Document ? root.documentElement.outerHTML : root.innerHTML))
    const marks = [...texts, values.join('\n'), location.href, document.title, write(history.state), window.name]
    return { elements: elements.map(read), marks: marks.map((text) => text.slice(0, bounds.marks)), stores: await readStores() }
  }

  function find(selector: string): HTMLElement | null {
    const inputs = [...roots].flatMap((root) => [...root.querySelectorAll<HTMLElement>('input, textarea, [contenteditable]')])
    return inputs.find((input) => selectorOf(input) === selector) ?? null
  }

  function focus(selector: string): boolean {
    const input = find(selector)
    input?.scrollIntoView({ block: 'center' })
    input?.focus()
    return input !== null
  }

  function press(selector: string): boolean {
    let around: Element | null = find(selector)
    for (let steps = 0; around !== null && steps < 12; steps += 1) {
      const button = around.querySelector<HTMLElement>(
        'button:not([type=reset]), input[type=submit], input[type=image], input[type=button], [role=button]',
      )
      if (button !== null) {
        button.click()
        return true
      }
      around = around.parentElement ?? hostOf(around)
    }
    return false
  }

  async function readStores(): Promise<PageLook['stores']> {
    const found: { name: string; text: string }[] = []
    const add = async (name: string, readText: () => string | Promise<string>): Promise<void> => {
      try {
        found.push({ name, text: (await readText()).slice(0, bounds.text) })
      } catch {
        // A document without an origin has no stores.
      }
    }
    await add('localStorage', () => JSON.stringify(Object.entries(localStorage)))
    await add('sessionStorage', () => JSON.stringify(Object.entries(sessionStorage)))
    await add('cookies', () => document.cookie)
    await add('indexedDB', readDatabases)
    await add('CacheStorage', async () => {
      const asked = await Promise.all((await caches.keys()).slice(0, 20).map(async (name) => (await caches.open(name)).matchAll()))
      const replies = asked.flat().slice(0, bounds.stores)
      return (await Promise.all(replies.map(async (reply) => `${reply.url} ${await reply.text()}`))).join('\n')
    })
    return found
  }

  async function readDatabases(): Promise<string> {
    const texts: string[] = []
    for (const { name } of (await indexedDB.databases()).slice(0, 20)) {
      if (name === undefined) continue
      const db = await settle(indexedDB.open(name))
      for (const store of [...db.objectStoreNames].slice(0, 20)) {
        const rows = db.transaction(store).objectStore(store)
        texts.push(write(await settle(rows.getAll(null, bounds.stores))), write(await settle(rows.getAllKeys(null, bounds.stores))))
      }
      db.close()
    }
    return texts.join('\n')
  }

  function settle<T>(asked: IDBRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      asked.onsuccess = () => resolve(asked.result)
      asked.onerror = () => reject(new Error('not read'))
      setTimeout(() => reject(new Error('not read in time')), 3000)
    })
  }

  function read(element: Element): ElementFacts {
    const root = element.getRootNode()
    const kind = root instanceof ShadowRoot ? (root.mode === 'open' ? 'open shadow root' : 'closed shadow root') : 'document'
    const label =
      element instanceof HTMLInputElement ? [...(element.labels ?? [])].map((one) => one.textContent).join(' ') : element.textContent
    return {
      tag: element.localName,
      attributes: attributesOf(element),
      selector: selectorOf(element),
      root: kind,
      forms: formsOf(element),
      checked: element instanceof HTMLInputElement && element.checked,
      text: label.slice(0, element.localName === 'script' ? bounds.text : 300),
    }
  }

  function formsOf(element: Element): ElementFacts['forms'] {
    const found: ElementFacts['forms'][number][] = []
    if ('form' in element && element.form instanceof HTMLFormElement) found.push(readForm(element.form))
    for (let one: Element | null = element; one !== null && found.length < 5; one = hostOf(one)) {
      const form = one.closest('form')
      if (form !== null) found.push(readForm(form))
    }
    return found.filter(({ selector }, index) => found.findIndex((other) => other.selector === selector) === index)
  }

  function readForm(form: Element): ElementFacts['forms'][number] {
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
    for (let one: Element | null = element; one !== null && steps.length < 8; one = one.parentElement) {
      if (one.id !== '') {
        steps.unshift(`#${CSS.escape(one.id)}`)
        break
      }
      const tag = one.localName
      const twins = [...(one.parentNode?.children ?? [])].filter(({ localName }) => localName === tag)
      steps.unshift(twins.length > 1 ? `${tag}:nth-of-type(${twins.indexOf(one) + 1})` : tag)
    }
    const host = hostOf(element)
    return (host === null ? '' : `${selectorOf(host)} >>> `) + steps.join(' > ')
  }
}
