// Preloaded: an approval that comes late comes after 4 s instead of 15, so that a run can wait for many.
import { standIn } from './stand-in.ts'

standIn('service/src/sandbox/faults.ts', 'fault/doubles/short-faults.ts')
