import type { Row } from '../statement.ts'
import { StoreUnavailable } from '../store.ts'
import type { Read } from '../unit.ts'
import { faultOf } from './fault.ts'
import { connectUnless } from './primary.ts'
import type { Primary } from './primary.ts'
import type { Session } from './session.ts'

/** Asks reads over a few connections, each behind the other without waiting. */
export interface Readers {
  read<T>(read: Read<T>): Promise<T>
  close(): Promise<void>
}

export function makeReaders(primary: Primary, count: number): Readers {
  const lines: Line[] = Array.from({ length: count }, () => ({ session: null, opening: null, asked: 0 }))
  let closed = false
  return {
    read: async ({ statement, values, tell }) => {
      if (closed) throw new StoreUnavailable('the store is closed')
      const line = leastAsked(lines)
      if (line === undefined || line.asked >= ASKED_MAX) throw new StoreUnavailable(`${ASKED_MAX * lines.length} reads are waiting`)
      let found: readonly Row[]
      line.asked++
      try {
        const session = line.session?.usable === true ? line.session : await open(line, primary, () => closed)
        found = await session.ask(statement, values)
      } catch (err) {
        throw err instanceof Error && faultOf(err) === 'unavailable' ? new StoreUnavailable(err.message, { cause: err }) : err
      } finally {
        line.asked--
      }
      return tell(found)
    },
    close: async () => {
      closed = true
      await Promise.all(lines.map(endLine))
    },
  }
}

interface Line {
  session: Session | null
  /** One attempt at a time: whoever comes meanwhile waits for it too. */
  opening: Promise<Session> | null
  asked: number
}

async function endLine({ opening, session }: Line): Promise<void> {
  await opening?.catch(() => undefined)
  await session?.end()
}

async function open(line: Line, primary: Primary, isClosed: () => boolean): Promise<Session> {
  line.opening ??= connectUnless(primary, isClosed).finally(() => (line.opening = null))
  line.session = await line.opening
  return line.session
}

function leastAsked(lines: readonly Line[]): Line | undefined {
  return lines.reduce<Line | undefined>((least, each) => (least === undefined || each.asked < least.asked ? each : least), undefined)
}

/** More than this wait on one connection: refused. */
const ASKED_MAX = 4096
