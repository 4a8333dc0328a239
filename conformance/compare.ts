import type { Reply } from './exchange.ts'
import { matchTemplate, type Known } from './template.ts'
import type { Vector } from './vector.ts'

/**
 * What in a reply is not as its vector says, in sentences; none when all is. Tokens that it gives are learned. `slowness`: how many times longer
 * than the vector says it may take.
 */
export function compareReply(vector: Vector, reply: Reply, known: Known, slowness = 1): string[] {
  const { reply: wanted, limits } = vector
  const msMax = limits.msMax * slowness
  return [
    ...(reply.status === wanted.status ? [] : [`status: wanted ${wanted.status}, got ${reply.status}`]),
    ...compareHeaders(wanted.headers, reply.headers, known),
    ...compareBody(wanted.body, wanted.contains, reply.body.toString('utf8'), known),
    ...(wanted.closes && !reply.isClosed ? ['the connection: wanted closed, and it stayed open'] : []),
    ...(reply.ms < limits.msMin ? [`time: wanted at least ${limits.msMin} ms, took ${Math.round(reply.ms)}`] : []),
    ...(reply.ms > msMax ? [`time: wanted at most ${msMax} ms, took ${Math.round(reply.ms)}`] : []),
  ]
}

function compareHeaders(wanted: Vector['reply']['headers'], got: Reply['headers'], known: Known): string[] {
  return Object.entries(wanted).flatMap(([name, template]) => {
    const value = got[name]
    if (template === null) return value === undefined ? [] : [`header ${name}: wanted none, got "${value}"`]
    if (value === undefined) return [`header ${name}: wanted "${template}", got none`]
    return matchTemplate(template, value, known) === null ? [] : [`header ${name}: wanted "${template}", got "${value}"`]
  })
}

function compareBody(template: string | null, contains: readonly string[], text: string, known: Known): string[] {
  const missing = contains.filter((part) => !text.includes(part)).map((part) => `body: wanted ${part} in it`)
  const difference = template === null ? null : matchTemplate(template, text, known)
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
