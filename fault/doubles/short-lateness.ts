// Preloaded: a late approval comes after 4 s instead of 15, so that a run can wait for many.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/adapters/sandbox/faults.ts', 'fault/doubles/short-faults.ts')
