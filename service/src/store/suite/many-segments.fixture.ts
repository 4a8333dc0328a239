import type { Dialect } from '../migrations/migrations.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'

/**
 * Statements that fill the request log with so many segments, over fourteen days. Nine in ten belong to the sample merchant, the others to
 * a hundred more. Each has one call, as those of a merchant with few calls; one in ten failed, and one in ten is of a browser.
 */
export function fillSegments(dialect: Dialect, count: number): readonly string[] {
  const isSqlite = dialect === 'sqlite'
  const series = isSqlite
    ? `(with recursive up(n) as (select 1 union all select n + 1 from up where n < ${count}) select n from up)`
    : `generate_series(1, ${count}) as up(n)`
  const at = `(${firstDay * dayMs} + (n - 1) * ${stepMs(count)})`
  const id = isSqlite ? `printf('%024x', n)` : `lpad(to_hex(n), 24, '0')`
  const twoDigits = isSqlite ? `printf('%02d', n / 10 % 100)` : `lpad((n / 10 % 100)::text, 2, '0')`
  return [
    ...(isSqlite ? [] : partitions),
    `insert into request_segments (bucket, merchant_id, last_at, last_id, first_at, caller, calls, errors, gaps, slowest_micros, body)
    select ${bucket}, case when n % 10 = 0 then '${'b'.repeat(22)}' || ${twoDigits} else '${sampleMerchantId}' end, ${at}, ${id}, ${at},
      case when n % 10 = 1 then 'browser' else 'server' end, 1, case when n % 10 = 2 then 1 else 0 end, 0, 1500,
      '[[' || ${at} || ',"' || ${id} || '","cards.check","spec",0,"",1500,"${'c'.repeat(24)}","",0,0,99,["",[["token","${'c'.repeat(24)}"]],0,[],0]]]'
    from ${series}`,
    'analyze request_segments',
  ]
}

/** A merchant with one segment of a thousand. */
export const otherMerchantId = `${'b'.repeat(22)}07`

/** When the last call of a segment came, of so many. */
export function timeOfSegment(n: number, count: number): number {
  return firstDay * dayMs + (n - 1) * stepMs(count)
}

/** The request id of that call. */
export function idOfSegment(n: number): string {
  return n.toString(16).padStart(24, '0')
}

function stepMs(count: number): number {
  return Math.floor((days * dayMs) / count)
}

const days = 14
const dayMs = 86_400_000
const firstDay = Math.ceil(T0 / dayMs)

const partitions: readonly string[] = Array.from({ length: days }, (_, n) => {
  const day = firstDay + n
  const name = `request_segments_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`
  return `create table ${name} partition of request_segments for values from (${day * dayMs}) to (${(day + 1) * dayMs})`
})
