import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** CPU time, user and system, that all threads of a program have taken so far, in milliseconds. From proc(5), so in steps of 10. */
export function readCpuMs(pid: number): number {
  return readStat(`/proc/${pid}/stat`)
}

/** The CPU time that a program has taken once it has finished its work. */
export async function readCpuMsWhenIdle(pid: number): Promise<number> {
  for (let before = readCpuMs(pid); ;) {
    await pause(idleWindowMs)
    const now = readCpuMs(pid)
    if (now - before <= maxIdleCpuMs) return now
    before = now
  }
}

/** The same of its main thread only, which handles requests. */
export function readMainCpuMs(pid: number): number {
  return readStat(`/proc/${pid}/task/${pid}/stat`)
}

/** How long its main thread was ready to run but had no processor so far, in milliseconds. From the kernel's scheduler statistics. */
export function readMainWaitMs(pid: number): number {
  const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
  return Number(waitedNs) / 1e6
}

/** CPU time of its children that have ended. */
export function readEndedCpuMs(pid: number): number {
  return readStat(`/proc/${pid}/stat`, 13)
}

/** utime and stime are the 14th and 15th field, those of ended children the next two. */
function readStat(path: string, first = 11): number {
  const stat = readFileSync(path, 'utf8')
  // The name in parentheses may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[first]) + Number(fields[first + 1])) * msATick
}

/** Resident memory of a program in MiB. */
export function readResidentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

/** The request log is written every second. */
const idleWindowMs = 1200
/** What a service without requests may take in that time. */
const maxIdleCpuMs = 20
/** USER_HZ is 100 on every current Linux. */
const msATick = 10
