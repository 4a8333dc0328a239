import type { ElementSnapshot, OutlineItem, PageProbe, PageSnapshot, ProbeEvent, ProbeNames } from '../src/live/probe-protocol.ts'

/**
 * Runs in every document before the page's own scripts. It keeps a reference to each shadow root, closed ones too, reports each input and
 * script as it is added (it may be removed again before the snapshot). What the page sends is reported by the transfer probe.
 *
 * The function is sent to the browser as text, so everything that it uses is inside it.
 */
export function installPageProbe({ key, report: reportName }: ProbeNames): void {
  const page = globalThis as unknown as Record<string, unknown>
  if (key in page) return
  const binding = page[reportName] as ((event: ProbeEvent) => Promise<void>) | undefined
  const limits = {
    events: 500,
    canvasTexts: 40,
    text: 60_000,
    markup: 2_000_000,
    items: 40_000,
    rows: 200,
    addedFields: 12,
    addedItems: 6000,
    /** Of an element that is pressed: a longer text is that of a part of the page. */
    pressedText: 80,
  }
  let eventCount = 0
  const report = (event: ProbeEvent): void => {
    eventCount += 1
    if (eventCount <= limits.events) void binding?.(event).catch(() => undefined)
  }
  const roots = new Set<Document | ShadowRoot>()
  const fieldSelector = 'input, textarea, select, [contenteditable], [role=textbox], [tabindex][aria-label], [tabindex][aria-labelledby]'
  const pressedSelector =
    'a, button, summary, label, [role=button], [role=tab], [role=radio], [role=switch], [role=option], [role=menuitem], [onclick]'
  const interactiveSelector = `${fieldSelector}, ${pressedSelector}, form, script, iframe, meta`

  /** What scripts have drawn on each canvas, each text once. */
  const canvasTexts = new WeakMap<object, Set<string>>()

  /** Elements that listen to presses. */
  const listening = new WeakSet<object>()

  let addedFieldCount = 0

  hookShadowRoots()
  hookCanvases()
  hookListeners()
  observe(document)
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective: directive, blockedURI: blocked }) =>
    report({ kind: 'refused', directive, blocked }),
  )
  const probe: PageProbe = {
    observe: (root) => observe(root as ShadowRoot),
    takeSnapshot,
    focus,
    press,
    click,
    valueOf,
    choose,
    pressDigits,
    scrollThrough,
  }
  Object.defineProperty(page, key, { value: probe })

  function hookShadowRoots(): void {
    const attach = Element.prototype.attachShadow
    Element.prototype.attachShadow = function attachShadow(this: Element, init) {
      const root = attach.call(this, init)
      observe(root)
      return root
    }
  }

  function hookCanvases(): void {
    for (const name of ['fillText', 'strokeText'] as const) {
      const draw = CanvasRenderingContext2D.prototype[name]
      CanvasRenderingContext2D.prototype[name] = function (this: CanvasRenderingContext2D, ...args: unknown[]) {
        const texts = canvasTexts.get(this.canvas) ?? new Set<string>()
        if (texts.size < limits.canvasTexts) canvasTexts.set(this.canvas, texts.add(String(args[0]).slice(0, 200)))
        Reflect.apply(draw, this, args)
      }
    }
  }

  function hookListeners(): void {
    const add = EventTarget.prototype.addEventListener
    EventTarget.prototype.addEventListener = function (this: EventTarget | undefined, ...args: Parameters<typeof add>) {
      if (this !== undefined && /^(click|mouse(down|up)|pointer(down|up))$/.test(args[0])) listening.add(this)
      Reflect.apply(add, this ?? globalThis, args)
    }
  }

  function observe(root: Document | ShadowRoot): void {
    if (roots.has(root)) return
    roots.add(root)
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) reportAdded(node)
    }).observe(root, { childList: true, subtree: true })
  }

  /** A field may be removed again before the snapshot, so it is reported with what stands around it. */
  function reportAdded(added: Element): void {
    for (const element of [added, ...added.querySelectorAll('script')].slice(0, 50))
      if (element.matches('script')) report({ kind: 'script', element: readElement(element) })
    // The parser has not read what stands around a field yet.
    if (document.readyState === 'loading' || addedFieldCount >= limits.addedFields) return
    const hasField = added.matches(fieldSelector) || added.querySelector(fieldSelector) !== null
    if (!hasField) return
    addedFieldCount += 1
    report({ kind: 'fields', items: outlineOf(document.documentElement, limits.addedItems) })
  }

  function toText(value: unknown): string {
    if (typeof value === 'string') return value.slice(0, limits.text)
    try {
      return JSON.stringify(value).slice(0, limits.text)
    } catch {
      return ''
    }
  }

  async function takeSnapshot(): Promise<PageSnapshot> {
    const values = allElements('input, textarea, select').map((element) =>
      'value' in element && typeof element.value === 'string' ? element.value : '',
    )
    const markup = [...roots].map((root) => (root instanceof Document ? root.documentElement.outerHTML : root.innerHTML))
    const texts = [...markup, values.join('\n'), location.href, document.title, toText(history.state), window.name]
    return {
      items: outlineOf(document.documentElement, limits.items),
      texts: texts.map((text) => text.slice(0, limits.markup)),
      storage: await readStorage(),
    }
  }

  function allElements(selector: string): HTMLElement[] {
    return [...roots].flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)])
  }

  /** The elements and texts below an element in the order in which they are seen: what is slotted into a shadow root, a closed one too, stands in its slot. */
  function outlineOf(root: Element, limit: number): OutlineItem[] {
    const items: OutlineItem[] = []
    const shadows = new Map([...roots].flatMap((shadow) => (shadow instanceof ShadowRoot ? [[shadow.host, shadow] as const] : [])))
    const pending: (Node | null)[] = [root]
    for (let next = pending.pop(); next !== undefined && items.length < limit; next = pending.pop()) {
      if (next === null) items.push(null)
      else if (next instanceof Element) {
        items.push(readElement(next), ...pictureTexts(next), ...drawnTexts(next, '::before'))
        pending.push(null)
        for (const child of childrenOf(next, shadows.get(next)).toReversed()) pending.push(child)
      } else if (next.nodeType === Node.TEXT_NODE && (next.nodeValue ?? '').trim() !== '') items.push((next.nodeValue ?? '').slice(0, 2000))
    }
    return items
  }

  function childrenOf(element: Element, shadow: ShadowRoot | undefined): Node[] {
    if (/^(script|style|select|textarea|iframe|noscript)$/.test(element.localName)) return []
    if (element.localName === 'svg') return [...element.querySelectorAll('foreignObject')]
    const slotted = element instanceof HTMLSlotElement ? element.assignedNodes() : []
    if (slotted.length > 0) return slotted
    const content = [...(element instanceof HTMLTemplateElement ? element.content : element).childNodes]
    if (shadow === undefined) return content
    const assigned = new Set([...shadow.querySelectorAll('slot')].flatMap((slot) => slot.assignedNodes()))
    return [...shadow.childNodes, ...content.filter((node) => !assigned.has(node))]
  }

  /** What a picture says: its text, or what stands for it where it is not seen. */
  function pictureTexts(element: Element): string[] {
    const texts = element.localName === 'svg' ? [...element.querySelectorAll('title, text')].map((part) => part.textContent) : []
    if (element instanceof HTMLImageElement) texts.push(element.alt)
    // One that takes keys shows what was typed.
    if (!element.hasAttribute('tabindex')) texts.push(...(canvasTexts.get(element) ?? []))
    return texts.map((text) => text.slice(0, 2000)).filter((text) => text.trim() !== '')
  }

  /** Text that a style sheet draws. */
  function drawnTexts(element: Element, part: '::before' | '::after'): string[] {
    if (/^(html|head|meta|script|style|link|title|br|option|path)$/.test(element.localName)) return []
    const { content } = getComputedStyle(element, part)
    const attribute = /^attr\(([\w-]+)\)$/.exec(content)?.[1]
    const text = attribute === undefined ? (/^"(.*)"$/.exec(content)?.[1] ?? '') : (element.getAttribute(attribute) ?? '')
    const shown = text.replace(/\\"/g, '"')
    return [...(/\p{L}|\d{4}/u.test(shown) ? [shown] : []), ...(part === '::before' ? drawnTexts(element, '::after') : [])]
  }

  function find(selector: string): HTMLElement | null {
    const path = selector.split(' >>> ').at(-1) ?? ''
    return path === '' ? null : (allElements(path).find((element) => selectorOf(element) === selector) ?? null)
  }

  function focus(selector: string): boolean {
    const input = find(selector)
    input?.scrollIntoView({ block: 'center' })
    input?.focus()
    return input !== null && !(input instanceof HTMLInputElement && input.disabled)
  }

  function click(selector: string): boolean {
    const element = find(selector)
    element?.scrollIntoView({ block: 'center' })
    if (element !== null) pressElement(element)
    return element !== null
  }

  /** As a mouse does: some pages listen to the button that goes down. */
  function pressElement(element: Element): void {
    const init = { bubbles: true, cancelable: true, composed: true }
    for (const type of ['down', 'up']) {
      element.dispatchEvent(new PointerEvent(`pointer${type}`, init))
      element.dispatchEvent(new MouseEvent(`mouse${type}`, init))
    }
    if (element instanceof HTMLElement) element.click()
    else element.dispatchEvent(new MouseEvent('click', init))
  }

  /** What is loaded when it is scrolled to is loaded then. */
  function scrollThrough(): boolean {
    const { scrollHeight } = document.documentElement
    for (const top of [scrollHeight / 2, scrollHeight]) scrollTo({ top, behavior: 'instant' })
    return true
  }

  function valueOf(selector: string): string {
    const element = find(selector)
    if (element === null) return ''
    return 'value' in element && typeof element.value === 'string' ? element.value : element.textContent
  }

  /** Chooses an option of a select by its number, ticks a box, or gives a date. */
  function choose(selector: string, index: string): boolean {
    const element = find(selector)
    if (element instanceof HTMLInputElement) {
      const value = { date: '2027-03-01', month: '2027-03', time: '12:00', 'datetime-local': '2027-03-01T12:00', week: '2027-W09' }[
        element.type
      ]
      if (value === undefined && !element.checked) element.click()
      if (value !== undefined && element.value === '') element.value = value
    }
    if (element instanceof HTMLSelectElement) {
      const option = Math.min(Number(index), element.options.length - 1)
      if (element.selectedIndex === option) return true
      element.selectedIndex = option
    }
    if (element !== null) for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }))
    return element !== null
  }

  /** Presses the buttons of a keypad whose first digit is the element. */
  function pressDigits(selector: string, digits: string): boolean {
    let ancestor: Element | null = find(selector)
    const labelOf = (button: Element): string => (button instanceof HTMLInputElement ? button.value : button.textContent).trim()
    for (let steps = 0; ancestor !== null && steps < 12; steps += 1, ancestor = ancestor.parentElement ?? hostOf(ancestor)) {
      const keys = new Map([...ancestor.querySelectorAll('*')].filter(isDigitKey).map((button) => [labelOf(button), button]))
      if (keys.size < 10) continue
      for (const digit of digits) {
        const button = keys.get(digit)
        if (button !== undefined) pressElement(button)
      }
      return true
    }
    return false
  }

  /** Whether the element shows one digit and nothing else. */
  function isDigitKey(element: Element): boolean {
    if (element instanceof HTMLInputElement) return element.type === 'button' && /^\d$/.test(element.value)
    return element.childElementCount === 0 && element.textContent.length < 10 && /^\s*\d\s*$/.test(element.textContent)
  }

  /** Whether people press the element though it is neither a button nor a link: it listens, or it has a hand for a cursor. */
  function isClickable(element: Element): boolean {
    if (/^(html|body|form|main|input|select|textarea|option|svg|path)$/.test(element.localName) || element.matches(interactiveSelector))
      return false
    const isPointed = (one: Element | null): boolean => one !== null && getComputedStyle(one).cursor === 'pointer'
    const isHeard = listening.has(element) || (element instanceof HTMLElement && element.onclick !== null)
    if (!isHeard && !(isPointed(element) && !isPointed(element.parentElement))) return false
    return element.textContent.length <= limits.pressedText && element.textContent.trim() !== ''
  }

  function press(selector: string): boolean {
    let ancestor: Element | null = find(selector)
    for (let steps = 0; ancestor !== null && steps < 12; steps += 1) {
      const button = ancestor.querySelector<HTMLElement>(
        'button:not([type=reset]), input[type=submit], input[type=image], input[type=button], [role=button]',
      )
      const pressed =
        button ?? [...ancestor.querySelectorAll('*')].slice(0, limits.rows).find((element) => isClickable(element) && !isDigitKey(element))
      if (pressed !== undefined) {
        pressElement(pressed)
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
    const clickable = isClickable(element)
    const isInteractive = clickable || element.matches(interactiveSelector) || isDigitKey(element)
    const root = isInteractive ? element.getRootNode() : document
    return {
      tag: element.localName,
      attributes: attributesOf(element),
      selector: isInteractive || element.id !== '' ? selectorOf(element) : '',
      root: root instanceof ShadowRoot ? (root.mode === 'open' ? 'open shadow root' : 'closed shadow root') : 'document',
      isChecked: element instanceof HTMLInputElement && element.checked,
      isClickable: clickable,
      isVisible: !isInteractive || isShown(element),
      code: codeOf(element).slice(0, limits.text),
    }
  }

  function codeOf(element: Element): string {
    if (element.localName === 'script') return element.textContent
    return element instanceof HTMLSelectElement ? [...element.options].map((option) => option.text).join('\n') : ''
  }

  function isShown(element: Element): boolean {
    const { width, height } = element.getBoundingClientRect()
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true })
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
      const { localName: name } = current
      const tag = CSS.escape(name)
      const siblings = [...(current.parentNode?.children ?? [])].filter(({ localName }) => localName === name)
      steps.unshift(siblings.length > 1 ? `${tag}:nth-of-type(${siblings.indexOf(current) + 1})` : tag)
    }
    const host = hostOf(element)
    return (host === null ? '' : `${selectorOf(host)} >>> `) + steps.join(' > ')
  }
}
