import { T0 } from './samples.fixture.ts'
import type { StoreUnderTest } from './opened.fixture.ts'

/** The hour of T0, as counters have it. */
export const hourOfT0 = Math.floor(T0 / 3_600_000)

/** Fills PostgreSQL with rows that expire, one in a thousand of them expired at T0; then updates the planner's statistics. */
export async function fillOld(raw: StoreUnderTest['raw']): Promise<void> {
  const at = `case when n % 1000 = 0 then ${T0} - n else ${T0} + n end`
  const [id, hash] = [`lpad(to_hex(n), 24, '0')`, `decode(lpad(to_hex(n), 64, '0'), 'hex')`]
  const tables: Readonly<Record<string, string>> = {
    send_limits: `'key', 'pan', ${hash}, ${at}, 0, 0, 0, 0, ${at}`,
    sign_in_attempts: `${id}, 0, 0, ${at}`,
    known_devices: `${id}, 'u', 'm', ${hash}, 'key', ${at}, ${hash}`,
    day_tries: `'key', ${hash}, 1, ${at}`,
    verifications: `7, ${id}, 'm', ${id}, ${hash}, 'key', null, null, null, 'sent', 0, ${at}, 0, 'boot', 0, ${hash}`,
    idempotency: `7, 'm', 'server', ${hash}, ${hash}, 'key', 0, 0, ${at}, 'receipts.pay', '', '', null, ${hash}`,
    form_sessions: `7, ${id}, 'm', ${hash}, 'https://shop.example', null, 'off', null, 3, 0, ${at}, null, 0, ${hash}`,
    form_cards: `7, ${id}, ${id}, 'key', ${hash}, 0, ${at}`,
    tallies: `7, 'm', ${hourOfT0} + case when n % 1000 = 0 then -n else n end, 'paid', 1`,
    dashboard_sessions: `${id}, 'u', 'm', ${hash}, 'key', '', 0, ${at}, '', '', ${hash}, 'password', 0`,
  }
  for (const [table, values] of Object.entries(tables)) {
    await raw(`insert into ${table} select ${values} from generate_series(1, 20000) as up(n)`)
    await raw(`analyze ${table}`)
  }
}
