import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'

import { AdapterConfigError } from '../../adapter.ts'
import { findUnknownVariables, findVariables, type TemplateVariable } from './placeholders.ts'

/**
 * An HTTP gateway as a JSON file (docs/operating/sms.md#a-template): its requests, with `{phone}` and the like in their values, and how its replies are
 * read.
 */
export interface SmsTemplate {
  /** For logs and statistics: lower-case letters, digits and hyphens. */
  readonly name: string
  /** An https URL without a path, unless a setting gives another. */
  readonly baseUrl: string | null
  readonly signIn: SignInTemplate | null
  readonly send: SendTemplate
  /** How the state of a message is requested; null: the gateway has no such request. */
  readonly status: StatusTemplate | null
}

/** How a token is obtained, and used as `{token}`. */
export interface SignInTemplate {
  readonly request: RequestTemplate
  /** The member of the JSON reply that is the token: `data.token`. */
  readonly token: string
  /** After this time the token is renewed before it is used. */
  readonly lifetimeMinutes: number
  /** How the token is renewed while it is valid; without it, by signing in again. */
  readonly refresh: RequestTemplate | null
  /** Replies to other requests that say the token is no longer valid. Nothing was sent then, and the request is repeated once with a new token. */
  readonly expired: readonly ReplyCondition[]
}

export interface SendTemplate {
  readonly request: RequestTemplate
  /** The first condition that holds decides; when none does, the outcome is unknown. */
  readonly rejected: readonly ReplyCondition[]
  readonly accepted: readonly ReplyCondition[]
  /** The member of the JSON reply by which the gateway names the message; null: it has no name. `{messageId}`: the one that we gave it. */
  readonly id: string | null
  /** The member of the JSON reply that says why a message was rejected. */
  readonly error: string | null
}

export interface StatusTemplate {
  /** Names the message by `{gatewayMessageId}`. */
  readonly request: RequestTemplate
  /** The first condition that holds decides; when none does, the state is requested again later. */
  readonly delivered: readonly ReplyCondition[]
  readonly failed: readonly ReplyCondition[]
  /** The member of the JSON reply that says why a message was not delivered. */
  readonly error: string | null
}

export interface RequestTemplate {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Whether it bears user name and password by HTTP Basic (RFC 7617). */
  readonly basicAuth: boolean
  readonly body: BodyTemplate | null
}

export type BodyTemplate =
  | { readonly kind: 'json'; readonly value: JsonTemplate }
  | { readonly kind: 'form' | 'multipart'; readonly fields: Readonly<Record<string, string>> }
  | { readonly kind: 'xml' | 'text'; readonly text: string }

export type JsonTemplate = string | number | boolean | null | readonly JsonTemplate[] | { readonly [name: string]: JsonTemplate }

/** Holds when each of its members does. */
export interface ReplyCondition {
  /** HTTP status codes; empty: any. */
  readonly status: readonly number[]
  /** Members of the JSON reply by path, each with the values that it may have. */
  readonly json: readonly { readonly path: string; readonly values: readonly (string | number | boolean)[] }[]
  /** Beginnings of the reply as text, one of which it has; empty: any. */
  readonly textStart: readonly string[]
}

/** The templates that come with the service: their files are beside this one. */
export const shippedTemplates = ['eskiz', 'playmobile', 'kannel'] as const

/** Reads a template: one of ours by name, or a file by its absolute path. Throws `AdapterConfigError`, which says which member is wrong and why. */
export function readSmsTemplate(nameOrPath: string): SmsTemplate {
  const isShipped = (shippedTemplates as readonly string[]).includes(nameOrPath)
  if (!isShipped && !isAbsolute(nameOrPath)) {
    throw new AdapterConfigError(`"${nameOrPath}" is no template: give ${shippedTemplates.join(', ')}, or the absolute path of a file.`)
  }
  const file = isShipped ? new URL(`./templates/${nameOrPath}.json`, import.meta.url) : nameOrPath
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (err) {
    throw new AdapterConfigError(`the template ${nameOrPath} cannot be read (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`)
  }
  return parseSmsTemplate(text, nameOrPath)
}

/** Parses the JSON of a template. `source` names it in errors. */
export function parseSmsTemplate(text: string, source: string): SmsTemplate {
  const fail = (path: string, what: string): never => {
    throw new AdapterConfigError(`the template ${source} is wrong at ${path === '' ? 'its top' : path}: ${what}.`)
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (err) {
    return fail('', `it is not JSON (${(err as Error).message.slice(0, 80)})`)
  }
  return readTemplate(new TemplateNode(json, '', fail))
}

function readTemplate(top: TemplateNode): SmsTemplate {
  top.allow('name', 'documentation', 'baseUrl', 'signIn', 'send', 'status')
  const name = top.member('name').text(/^[a-z0-9-]{1,32}$/, 'lower-case letters, digits and hyphens')
  const baseUrl = top.has('baseUrl') ? top.member('baseUrl').text(/^https?:\/\/[^/]+$/, 'a URL without a path') : null
  const signIn = top.has('signIn') ? readSignIn(top.member('signIn')) : null
  const send = readSend(top.member('send'))
  const status = top.has('status') ? readStatus(top.member('status')) : null
  if (status !== null && send.id === null) top.member('send').fail('id is missing: status needs the id of a message')
  return { name, baseUrl, signIn, send, status }
}

function readSignIn(node: TemplateNode): SignInTemplate {
  node.allow('request', 'token', 'lifetimeMinutes', 'refresh', 'expired')
  return {
    request: readRequest(node.member('request')),
    token: node.member('token').text(memberPath, 'the path of a member such as data.token'),
    lifetimeMinutes: node.member('lifetimeMinutes').integer(1, 525_600),
    refresh: node.has('refresh') ? readRequest(node.member('refresh')) : null,
    expired: node.member('expired').list(readCondition),
  }
}

function readSend(node: TemplateNode): SendTemplate {
  node.allow('request', 'accepted', 'rejected', 'id', 'error')
  const request = readRequest(node.member('request'))
  refuseVariables(node.member('request'), request, ['gatewayMessageId'], 'before the gateway has the message')
  return {
    request,
    accepted: node.member('accepted').list(readCondition),
    rejected: node.member('rejected').list(readCondition),
    id: node.has('id') ? node.member('id').text(/^(\{messageId\}|[\w-]+(\.[\w-]+)*)$/, 'the path of a member, or {messageId}') : null,
    error: readErrorPath(node),
  }
}

function readStatus(node: TemplateNode): StatusTemplate {
  node.allow('request', 'delivered', 'failed', 'error')
  const request = readRequest(node.member('request'))
  refuseVariables(node.member('request'), request, ofMessage, 'after a message was sent')
  return {
    request,
    delivered: node.member('delivered').list(readCondition),
    failed: node.member('failed').list(readCondition),
    error: readErrorPath(node),
  }
}

/** What is known of a message only while it is sent: it is not stored. */
const ofMessage = ['phone', 'text', 'messageId', 'lifetimeSeconds', 'coding'] as const

function refuseVariables(node: TemplateNode, request: RequestTemplate, refused: readonly TemplateVariable[], when: string): void {
  const found = findVariables(JSON.stringify(request)).find((name) => refused.includes(name))
  if (found !== undefined) node.fail(`{${found}} is not known ${when}`)
}

function readErrorPath(node: TemplateNode): string | null {
  return node.has('error') ? node.member('error').text(memberPath, 'the path of a member such as error.code') : null
}

function readRequest(node: TemplateNode): RequestTemplate {
  node.allow('method', 'path', 'query', 'headers', 'basicAuth', 'json', 'form', 'multipart', 'xml', 'text')
  const method = node.member('method').text(/^(GET|POST|PUT|PATCH)$/, 'GET, POST, PUT or PATCH') as RequestTemplate['method']
  const bodies = (['json', 'form', 'multipart', 'xml', 'text'] as const).filter((kind) => node.has(kind))
  if (bodies.length > 1) node.fail(`it has ${bodies.join(' and ')}: a request has one body`)
  if (method === 'GET' && bodies.length > 0) node.fail('GET has no body: use query')
  const path = node.member('path').template(/^\/[^?#\s]*$/, 'a path from / without ? and #')
  const query = node.has('query') ? node.member('query').fields() : {}
  const secret = [path, ...Object.values(query)].find((text) => /\{(password|token)\}/.test(text))
  if (secret !== undefined)
    node.fail('a password or a token in the URL would be in the logs of every proxy: use headers, basicAuth or a body')
  return {
    method,
    path,
    query,
    headers: node.has('headers') ? node.member('headers').fields(/^[a-z0-9-]+$/) : {},
    basicAuth: node.has('basicAuth') && node.member('basicAuth').boolean(),
    body: bodies[0] === undefined ? null : readBody(node.member(bodies[0]), bodies[0]),
  }
}

function readBody(node: TemplateNode, kind: BodyTemplate['kind']): BodyTemplate {
  if (kind === 'json') return { kind, value: node.json() }
  if (kind === 'xml') return { kind, text: node.template(/^\s*</, 'an XML document') }
  if (kind === 'text') return { kind, text: node.template(/^[^]+$/, 'a text') }
  return { kind, fields: node.fields() }
}

function readCondition(node: TemplateNode): ReplyCondition {
  node.allow('status', 'json', 'textStart')
  const condition = {
    status: node.has('status') ? node.member('status').list((each) => each.integer(100, 599)) : [],
    json: node.has('json') ? node.member('json').entries((values, path) => ({ path, values: values.list((each) => each.scalar()) })) : [],
    textStart: node.has('textStart') ? node.member('textStart').list((each) => each.text(/^[^]+$/, 'a text')) : [],
  }
  if (condition.status.length + condition.json.length + condition.textStart.length === 0)
    node.fail('a condition needs status, json or textStart')
  return condition
}

const memberPath = /^[\w-]+(\.[\w-]+)*$/

/** A value of the file with its path, so that every error says where it is. */
class TemplateNode {
  readonly #value: unknown
  readonly #path: string
  readonly #fail: (path: string, what: string) => never

  constructor(value: unknown, path: string, fail: (path: string, what: string) => never) {
    this.#value = value
    this.#path = path
    this.#fail = fail
  }

  fail(what: string): never {
    return this.#fail(this.#path, what)
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#object(), name)
  }

  member(name: string): TemplateNode {
    if (!this.has(name)) this.fail(`${name} is missing`)
    return this.#at(name, this.#object()[name])
  }

  /** Refuses members that a typing error may have made. */
  allow(...names: readonly string[]): void {
    const unknown = Object.keys(this.#object()).find((name) => !names.includes(name))
    if (unknown !== undefined) this.fail(`${unknown} is unknown; it may have ${names.join(', ')}`)
  }

  text(shape: RegExp, expected: string): string {
    const value = this.#value
    return typeof value === 'string' && shape.test(value) ? value : this.fail(`it must be ${expected}`)
  }

  /** A text with placeholders. */
  template(shape: RegExp, expected: string): string {
    const text = this.text(shape, expected)
    const [unknown] = findUnknownVariables(text)
    return unknown === undefined ? text : this.fail(`{${unknown}} is no variable`)
  }

  integer(from: number, to: number): number {
    const value = this.#value
    if (typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to) return value
    return this.fail(`it must be a whole number from ${String(from)} to ${String(to)}`)
  }

  boolean(): boolean {
    return typeof this.#value === 'boolean' ? this.#value : this.fail('it must be true or false')
  }

  scalar(): string | number | boolean {
    const value = this.#value
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : this.fail('it must be a text, a number, true or false')
  }

  list<T>(read: (node: TemplateNode) => T): T[] {
    const value = this.#value
    if (!Array.isArray(value) || value.length === 0) return this.fail('it must be a list with at least one element')
    return value.map((each, at) => read(this.#at(String(at), each)))
  }

  entries<T>(read: (node: TemplateNode, name: string) => T): T[] {
    return Object.entries(this.#object()).map(([name, value]) => read(this.#at(name, value), name))
  }

  /** An object whose values are texts with placeholders. */
  fields(names = /^[^\r\n]+$/): Record<string, string> {
    const read = (node: TemplateNode, name: string): [string, string] => {
      if (!names.test(name)) this.fail(`${name} is not a name of the right form`)
      return [name, node.template(/^[^\r\n]*$/, 'a text in one line')]
    }
    return Object.fromEntries(this.entries(read))
  }

  /** Any JSON; texts in it may have placeholders. */
  json(): JsonTemplate {
    const value = this.#value
    if (typeof value === 'string') return this.template(/^[^]*$/, 'a text')
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
    if (Array.isArray(value)) return value.map((each, at) => this.#at(String(at), each).json())
    return Object.fromEntries(this.entries((node, name) => [name, node.json()]))
  }

  #object(): Record<string, unknown> {
    const value = this.#value
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : this.fail('it must be an object')
  }

  #at(name: string, value: unknown): TemplateNode {
    return new TemplateNode(value, this.#path === '' ? name : `${this.#path}.${name}`, this.#fail)
  }
}
