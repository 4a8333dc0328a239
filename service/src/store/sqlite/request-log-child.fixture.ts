import { makeSqliteRequestLog } from './request-log.ts'

// A process that appends one call after the other, and reports each that was appended, until it is killed. Its argument is the folder.

const [, , folder = ''] = process.argv
const requestLog = makeSqliteRequestLog({ folder, onDamaged: ({ cause }) => void process.send?.(String(cause)) })
for (let number = 1; ; number++) {
  const lastId = String(number).padStart(24, '0')
  const of = { bucket: 7, merchantId: 'a'.repeat(24), caller: 'server' } as const
  await requestLog.append([
    { ...of, lastAt: number, lastId, firstAt: number, calls: 1, errors: 0, gaps: 0, slowestMicros: 1, body: `["${'x'.repeat(900)}"]` },
  ])
  process.send?.(number)
}
