import type { AddressGuard } from '../adapters/http/address-guard.ts'
import { makeHttpGet } from '../adapters/http/http-get.ts'
import type { MerchantCache } from '../domain/merchants/merchant-cache.ts'
import { makeFetchPage } from '../domain/page-check/fetch-page.ts'
import { makeFetchScript } from '../domain/page-check/fetch-script.ts'
import { makePageCheck } from '../domain/page-check/page-check.ts'
import { makePageReadings } from '../domain/page-check/page-readings.ts'
import { makeParsePage } from '../domain/page-check/parse-page.ts'
import type { Config } from '../ops/config/config.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import { observePageReadings } from '../ops/metrics/page-reading-gauges.ts'

import type { DomainBase } from './domain-base.ts'
import type { ServiceOverrides } from './service-overrides.ts'

export interface PageServiceDependencies {
  readonly base: DomainBase
  readonly merchants: Pick<MerchantCache, 'find'>
  /** Refuses addresses at which no page of a merchant may be. */
  readonly guard: AddressGuard
  readonly isLoopbackWelcome: boolean
  readonly overrides: Pick<ServiceOverrides, 'pageCheck'>
  readonly log: Log
  readonly metrics: Metrics
}

/** The check of merchants' pages, and reading them again by a schedule. */
export function createPageServices(
  { formOrigin, pageReadHours }: Config,
  { base, merchants, guard, isLoopbackWelcome, overrides, log, metrics }: PageServiceDependencies,
) {
  const { store, clock } = base
  const get = makeHttpGet({ guard, clock, timeoutMs: 10_000, replyBytesMax: 1_000_000 })
  const page: NonNullable<ServiceOverrides['pageCheck']> = overrides.pageCheck ?? {
    fetchPage: makeFetchPage({ get, guard, isLoopbackWelcome }),
    parse: makeParsePage({ clock }),
  }
  const pageReadings = makePageReadings({
    ...base,
    ...observePageReadings({ store, clock, log, metrics }),
    ...page,
    fetchScript: page.fetchScript ?? makeFetchScript({ get, guard }),
    merchants,
    formOrigin,
    everyMs: pageReadHours * 3_600_000,
  })
  return { pageReadings, pageCheck: makePageCheck({ ...base, ...page, merchants, formOrigin, readings: pageReadings }) }
}
