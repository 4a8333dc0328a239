import type { VectorResponse } from './exchange.ts'
import { matchTemplate, type TemplateValues } from './template.ts'
import type { Vector } from './vector.ts'

/**
 * The differences between a response and its vector, as sentences. New tokens are stored. `slowness`: how many times longer than the vector says it
 * may take.
 */
export function compareReply(vector: Vector, reply: VectorResponse, values: TemplateValues, slowness = 1): string[] {
  const { reply: wanted, limits } = vector
  const msMax = limits.msMax * slowness
  return [
    ...(reply.status === wanted.status ? [] : [`status: wanted ${wanted.status}, got ${reply.status}`]),
    ...compareHeaders(wanted.headers, reply.headers, values),
    ...compareBody(wanted.body, wanted.contains, reply.body.toString('utf8'), values),
    ...(wanted.closes && !reply.isClosed ? ['the connection: wanted closed, and it stayed open'] : []),
    ...(reply.ms < limits.msMin ? [`time: wanted at least ${limits.msMin} ms, took ${Math.round(reply.ms)}`] : []),
    ...(reply.ms > msMax ? [`time: wanted at most ${msMax} ms, took ${Math.round(reply.ms)}`] : []),
  ]
}

function compareHeaders(wanted: Vector['reply']['headers'], got: VectorResponse['headers'], values: TemplateValues): string[] {
  return Object.entries(wanted).flatMap(([name, template]) => {
    const value = got[name]
    if (template === null) return value === undefined ? [] : [`header ${name}: wanted none, got "${value}"`]
    if (value === undefined) return [`header ${name}: wanted "${template}", got none`]
    return matchTemplate(template, value, values) === null ? [] : [`header ${name}: wanted "${template}", got "${value}"`]
  })
}

function compareBody(template: string | null, contains: readonly string[], text: string, values: TemplateValues): string[] {
  const missing = contains.filter((part) => !text.includes(part)).map((part) => `body: wanted ${part} in it`)
  const difference = template === null ? null : matchTemplate(template, text, values)
  if (difference === null) return missing
  const { at, wanted } = difference
  return [
    `body, from character ${at + 1}: wanted ${shorten(wanted)}\n` +
      `${' '.repeat(30)}got ${shorten(text.slice(at)) || 'the end'}\n` +
      `  wanted  ${shorten(template ?? '', bodyShownMax)}\n` +
      `  got     ${shorten(text, bodyShownMax) || '(nothing)'}`,
    ...missing,
  ]
}

function shorten(text: string, lengthMax = pieceShownMax): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)} …` : text
}

const pieceShownMax = 60
const bodyShownMax = 600
