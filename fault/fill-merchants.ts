import { expectAllowed } from '../service/src/operations/operator.ts'

import { withAppInProcess } from './app-in-process.ts'
import type { ServiceData } from './service-data.ts'

/** Creates so many merchants in the data of a service that is stopped. Returns `<id>:<password>` of each. */
export async function fillMerchants(serviceData: ServiceData, count: number): Promise<string[]> {
  const logins: string[] = []
  let left = count
  await withAppInProcess(serviceData, [], async ({ services }) => {
    const add = async (): Promise<void> => {
      while (left-- > 0) {
        const by = { actor: 'operator', requestId: '', address: '' }
        const made = expectAllowed(await services.merchants.administration.create({ name: 'Bench', settings: {} }, by))
        logins.push(`${made.merchant.row.id}:${made.password}`)
      }
    }
    await Promise.all(Array.from({ length: merchantsAtOnce }, add))
  })
  return logins
}

const merchantsAtOnce = 64
