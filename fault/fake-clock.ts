import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFaketimeLibrary } from '../tools/find-program.ts'
import type { ServiceData } from './service-data.ts'
import { startService, type RunningService, type ServiceOptions } from './spawn.ts'

/** Starts a service whose wall clock `setClock` sets. The monotonic clock stays true: timers run by it. Set the clock before. */
export function startWithFakeClock(
  serviceData: ServiceData,
  { flags, imports = [] }: Pick<ServiceOptions, 'flags' | 'imports'>,
): Promise<RunningService> {
  const library = findFaketimeLibrary()
  if (library === null) throw new Error('libfaketime is not installed')
  const env = { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: clockFileOf(serviceData), FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1' }
  return startService({ flags: [...serviceData.flags, ...flags], env, imports })
}

/** As libfaketime takes it: `+0` is right, `-2h` two hours back, `+0 x0.5` half as fast. Takes effect at once. */
export function setClock(serviceData: ServiceData, text: string): void {
  writeFileSync(clockFileOf(serviceData), `${text}\n`)
}

function clockFileOf(serviceData: ServiceData): string {
  return join(serviceData.folder, 'clock')
}
