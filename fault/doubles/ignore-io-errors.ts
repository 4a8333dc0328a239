// Preloaded: goes on after an I/O error within a commit.
import { standIn } from './stand-in.ts'

standIn('service/src/store/sqlite/fault.ts', 'fault/doubles/forgiving-fault.ts')
