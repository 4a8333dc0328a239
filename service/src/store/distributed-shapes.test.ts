import assert from 'node:assert/strict'
import { test } from 'node:test'

import { listPlacedTables, tablePlacements } from './postgres/table-placement.ts'
import { listStatements } from './statement.ts'
import {
  formerCodeEventsText,
  formerDeliveryPageText,
  formerFunnelText,
  formerHeadsText,
  formerNewestTimeText,
} from './suite/former-audit.fixture.ts'
import { formerClaimText } from './suite/former-claim.fixture.ts'
import { importTables } from './suite/point-statements.fixture.ts'

// A distributed PostgreSQL (Citus) refuses some statements that one server takes. It is in no package of Debian, so their texts are read instead.

const byBucket = new Set(listPlacedTables('bucket'))
const distributed = new Set([...byBucket, ...listPlacedTables('chain')])
await importTables()

test('no statement of the store has a shape that a distributed database refuses', () => {
  const statements = listStatements().filter(({ text }) => namesOf(text).length > 0)
  assert.ok(statements.length > 200, `only ${String(statements.length)} statements`)
  assert.ok(statements.filter(({ text }) => namesOf(text).some((name) => distributed.has(name))).length > 100)
  const refused = statements.flatMap(({ text }) => findRefusedShapes(text).map((shape) => `${shape}: ${text.slice(0, 120)}`))
  assert.deepEqual(refused.sort(), [])
})

test('the former statements, which Citus refused or would refuse, are found', () => {
  assert.deepEqual(findRefusedShapes(formerHeadsText), ['a recursive CTE', 'a correlated subquery over a derived table'])
  assert.deepEqual(findRefusedShapes(formerNewestTimeText), ['a recursive CTE', 'a correlated subquery over a derived table'])
  assert.deepEqual(findRefusedShapes(formerClaimText({ now: 1, leaseUntil: 2, count: 3 })), ['a correlated subquery over a derived table'])
  assert.deepEqual(findRefusedShapes(formerDeliveryPageText), ['a correlated subquery over a derived table'])
  assert.deepEqual(findRefusedShapes(formerCodeEventsText), ['tables that are on different nodes'])
  assert.deepEqual(findRefusedShapes(formerFunnelText), [
    'a correlated subquery over a derived table',
    'tables that are on different nodes',
  ])
  assert.deepEqual(findRefusedShapes('select c.card_id from cards c join receipts r on r.card_id = c.card_id where c.bucket = $1'), [
    'a join of two buckets',
  ])
  assert.deepEqual(findRefusedShapes('select c.card_id from cards c join merchants m on m.id = c.merchant_id where c.bucket = $1'), [
    'tables that are on different nodes',
  ])
})

function findRefusedShapes(text: string): string[] {
  const found: string[] = []
  const flat = text.replace(/\s+/g, ' ')
  const names = namesOf(flat)
  // With the coordinator alone every shape is taken.
  if (!names.some((name) => distributed.has(name))) return []
  if (/\bwith recursive\b/i.test(flat)) found.push('a recursive CTE')
  if (hasCorrelationOverDerived(flat) && !isOfOneBucket(flat)) found.push('a correlated subquery over a derived table')
  if (joinsAcross(flat)) found.push('a join of two buckets')
  if (new Set(names.map((name) => tablePlacements[name])).size > 1) found.push('tables that are on different nodes')
  return found
}

/** The tables of ours that a statement names. */
function namesOf(text: string): string[] {
  const words = [...text.matchAll(/\b(?:from|join|update|into|using|,) (\w+)/gi)].map(([, name = '']) => name)
  return [...new Set(words)].filter((name) => tablePlacements[name] !== undefined)
}

/** Whether each select of the statement names the same bucket: Citus sends it to one node as it is, whatever its shape. */
function isOfOneBucket(text: string): boolean {
  const selects = listSelects(text).filter(({ own }) => namesOf(own).length > 0)
  const buckets = selects.map(({ own }) => /\bbucket = (\$\d+)/.exec(own)?.[1])
  return !buckets.includes(undefined) && new Set(buckets).size === 1
}

/** A select whose FROM has a derived table or a CTE, or is one, with a subquery that names a table of the select around it. */
function hasCorrelationOverDerived(text: string): boolean {
  const ctes = [...text.matchAll(/(?:\bwith(?: recursive)?|,) (\w+)(?: \([^)]*\))? as (?:materialized )?\(/gi)].map(([, name = '']) => name)
  return listSelects(text).some((select) => {
    const isDerived =
      /\bfrom \( ?select\b/i.test(select.own) || ctes.some((name) => new RegExp(`\\b(?:from|join) ${name}\\b`, 'i').test(select.own))
    const isInsideOne = select.isDerivedTable
    return (isDerived || isInsideOne) && select.inner.some((inner) => isCorrelated(inner, select.own))
  })
}

function isCorrelated(inner: string, outer: string): boolean {
  if (!/\bselect\b/i.test(inner)) return false
  const own = new Set(listAliases(inner))
  return listAliases(outer).some((alias) => !own.has(alias) && new RegExp(`\\b${alias}\\.\\w`).test(inner))
}

function listAliases(text: string): string[] {
  const words =
    /\b(?:from|join|update|,) (\w+)(?: (?:as )?(?!where|on|set|join|left|order|group|limit|for|using|returning|values|union|cross|inner)(\w+))?/gi
  const derived = [...text.matchAll(/\((?:select)?\) (?:as )?(\w+)(?= |$)/gi)].map(([, alias = '']) => alias)
  return [...[...text.matchAll(words)].flatMap(([, table = '', alias]) => [alias ?? table]), ...derived]
}

interface ReadSelect {
  /** Its text with each parenthesis inside it as `(select …)` cut to its first words. */
  readonly own: string
  /** The parentheses directly inside it. */
  readonly inner: readonly string[]
  readonly isDerivedTable: boolean
}

/** Every select of a statement: that of each pair of parentheses, and the whole. */
function listSelects(text: string): ReadSelect[] {
  const selects: ReadSelect[] = []
  const visit = (part: string, before: string): void => {
    const inner: string[] = []
    let own = ''
    for (let at = 0, depth = 0, from = 0; at < part.length; at++) {
      const sign = part[at]
      if (sign === '(' && depth++ === 0) from = at
      if (depth === 0) own += sign ?? ''
      if (sign === ')' && --depth === 0) {
        const child = part.slice(from, at + 1)
        inner.push(child)
        visit(child.slice(1, -1), part.slice(0, from))
        own += /^\( ?select\b/i.test(child) ? '(select)' : '()'
      }
    }
    selects.push({ own, inner, isDerivedTable: /\b(?:from|join) $/i.test(before) })
  }
  visit(text, '')
  return selects
}

/** Two tables with a bucket in one FROM, whose buckets are not compared. */
function joinsAcross(text: string): boolean {
  return listSelects(text).some(({ own }) => {
    const joined = [...own.matchAll(/\bjoin (\w+)/gi)].map(([, name = '']) => name)
    const [, first = ''] = /\bfrom (\w+)/i.exec(own) ?? []
    if (joined.length === 0 || !byBucket.has(first) || !joined.some((name) => byBucket.has(name))) return false
    return !/\bbucket = \w+\.bucket\b/.test(own) && !/\busing \(\)/.test(own) && [...own.matchAll(/\.bucket = \$\d/g)].length < 2
  })
}
