import { moveStoreBack } from './move-back.ts'
import { moveStore, type MovePart } from './move-store.ts'
import { noWalk } from '../walk.ts'

// A process that moves a store on which no service runs, or moves it back, and is killed at one step: node crashing-move.fixture.ts <json>.

interface CrashingMove {
  readonly parts: [MovePart, ...MovePart[]]
  readonly step: string
  readonly isBack: boolean
}

const { parts, step, isBack } = JSON.parse(process.argv[2] ?? '') as CrashingMove

function die(at: string): void {
  if (at === step) process.kill(process.pid, 'SIGKILL')
}

if (isBack) await moveStoreBack({ parts, walk: noWalk, onStep: die })
else {
  await moveStore({
    parts,
    moveId: 'crashing',
    source: 'source',
    walk: noWalk,
    checkCopy: async () => undefined,
    beforePause: async () => undefined,
    auditHeads: async () => null,
    now: () => performance.now(),
    unixMs: () => Date.now(),
    onStep: die,
  })
}
