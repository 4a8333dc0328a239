import type { Params } from '@tessera/contract/operations'

import { call } from '../app/api.ts'

/** Records in the audit that a file is begun. The function that it returns records its end, and never throws: the file is written by then. */
export async function recordExport(begun: Params<'dashboard.exports.start'>): Promise<(end: ExportEnd) => Promise<void>> {
  const { exportId } = await call('dashboard.exports.start', begun)
  return async (end) => {
    try {
      await call('dashboard.exports.finish', { exportId, ...end })
    } catch {
      // The entry of the beginning stays without an end: after the session, or while the service is away.
    }
  }
}

export type ExportEnd = Omit<Params<'dashboard.exports.finish'>, 'exportId'>
