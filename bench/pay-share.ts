import { join } from 'node:path'

import { plantedFaults } from '../fault/planted-faults.ts'
import type { StoreKind } from '../fault/service-data.ts'
import { startService } from '../fault/spawn.ts'
import { median } from '../fault/statistics.ts'

import { startFloor } from './compare.ts'
import { measureOfRounds } from './interval.ts'
import type { Bench, Measure } from './measurement.ts'
import { measurePaymentPair, type PaymentCost, type PaymentPair } from './pay-against.ts'

/**
 * What share of its floor a receipt reaches that is created and paid under a key. The floor is node:http, JSON.parse, one point read and the same three commits,
 * with rows of the same length and their audit entries: the group commit links those for both. Nothing is checked, sealed or logged. The network approves at once.
 */
export async function comparePaymentsWithFloor(
  bench: Pick<Bench, 'dataFactory' | 'isQuick' | 'say'>,
  store: StoreKind,
  size: Pick<PaymentPair, 'rounds' | 'requests'> = {},
): Promise<Measure[]> {
  const rounds = await measurePaymentPair(bench, {
    ...size,
    store,
    own: (data) => startService({ flags: data.flags, imports: [plantedFaults.instantNetwork], logFile: join(data.folder, 'log') }),
    other: (data) => startFloor(data),
    isCreateMeasured: true,
  })
  const of = `receipts.create and pay ${store}`
  const cpuOf = ({ service, postgres }: PaymentCost): number => service + postgres
  const shares = (read: (own: PaymentCost, floor: PaymentCost) => number): number[] => rounds.map(({ own, other }) => read(own, other))
  const middle = (read: (own: PaymentCost, floor: PaymentCost) => number): number => median(shares(read))
  const target = { least: 0.6 }
  return [
    measureOfRounds(
      shares((own, floor) => own.perSecond / floor.perSecond),
      { of, name: 'throughput', unit: 'of the floor', target },
    ),
    measureOfRounds(
      shares((own, floor) => cpuOf(floor) / cpuOf(own)),
      { of, name: 'CPU, with PostgreSQL', unit: 'floor to service', target },
    ),
    { of, name: 'CPU of the service', value: middle((own) => own.service), unit: 'µs' },
    { of, name: 'CPU of the floor', value: middle((_own, floor) => floor.service), unit: 'µs' },
    ...(store === 'sqlite'
      ? []
      : [
          { of, name: 'CPU of PostgreSQL', value: middle((own) => own.postgres), unit: 'µs' },
          { of, name: 'CPU of PostgreSQL, floor', value: middle((_own, floor) => floor.postgres), unit: 'µs' },
        ]),
  ]
}
