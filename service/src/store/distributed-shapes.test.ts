import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { listAuditHeads } from './audit.ts'
import { listStatements } from './statement.ts'
import { formerClaimText } from './suite/former-claim.fixture.ts'
import { importTables } from './suite/point-statements.fixture.ts'

// A distributed PostgreSQL (Citus) refuses some statements that one server takes. It is in no package of Debian, so their texts are read instead.

const schema = readFileSync(new URL('./schema/postgres.sql', import.meta.url), 'utf8')
const distributed = findDistributedTables(schema)
await importTables()

test('every table of cards and payments has the bucket in its primary key and in each unique index, so that one shard can tell', () => {
  assert.ok(distributed.size > 15, [...distributed].join())
  const across: string[] = []
  for (const [, name = '', body = ''] of schema.matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)) {
    const [, key = ''] = /primary key \(([^)]*)\)/.exec(body) ?? []
    if (distributed.has(name) && !key.split(', ').includes('bucket')) across.push(name)
  }
  for (const [, name = '', table = '', columns = ''] of schema.matchAll(/create unique index (\w+) on (\w+) \(([^)]*)\)/g)) {
    if (distributed.has(table) && !columns.split(', ').includes('bucket')) across.push(name)
  }
  assert.deepEqual(across, ['merchants'])
})

test('no statement has a shape that a distributed database refuses, where audit and the tables without a bucket stay on one node', () => {
  const statements = listStatements()
  assert.ok(statements.length > 200, `only ${String(statements.length)} statements`)
  const refused = statements.flatMap(({ text }) => findRefusedShapes(text).map((shape) => `${shape}: ${text.slice(0, 120)}`))
  assert.deepEqual(refused.sort(), [])
})

test('the heads of the audit are why it stays on one node: distributed by chain, they would be refused', () => {
  assert.deepEqual(findRefusedShapes(listAuditHeads().statement.text, new Set([...distributed, 'audit'])), [
    'a recursive CTE',
    'a correlated subquery over a derived table',
  ])
})

test('the former claim of deliveries, and a join of two buckets, are found', () => {
  assert.deepEqual(findRefusedShapes(formerClaimText({ now: 1, leaseUntil: 2, count: 3 })), ['a correlated subquery over a derived table'])
  assert.deepEqual(findRefusedShapes('select c.card_id from cards c join receipts r on r.card_id = c.card_id where c.bucket = $1'), [
    'a join of two buckets',
  ])
})

/** The tables with a bucket. */
function findDistributedTables(text: string): Set<string> {
  const tables = [...text.matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)]
  return new Set(tables.filter(([, , body = '']) => /^\s*bucket integer/m.test(body)).map(([, name = '']) => name))
}

function findRefusedShapes(text: string, split: ReadonlySet<string> = distributed): string[] {
  const found: string[] = []
  const flat = text.replace(/\s+/g, ' ')
  // On one node every shape is taken.
  if (![...flat.matchAll(/\b(?:from|join|update|into) (\w+)/gi)].some(([, name = '']) => split.has(name))) return []
  if (/\bwith recursive\b/i.test(flat)) found.push('a recursive CTE')
  if (hasCorrelationOverDerived(flat)) found.push('a correlated subquery over a derived table')
  if (joinsAcross(flat)) found.push('a join of two buckets')
  return found
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
  return [...text.matchAll(words)].flatMap(([, table = '', alias]) => [alias ?? table])
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
    if (joined.length === 0 || !distributed.has(first) || !joined.some((name) => distributed.has(name))) return false
    return !/\bbucket = \w+\.bucket\b/.test(own) && !/\busing \(\)/.test(own) && [...own.matchAll(/\.bucket = \$\d/g)].length < 2
  })
}
