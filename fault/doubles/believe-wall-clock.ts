// Preloaded: measures every span by the wall clock.
import { standIn } from './stand-in.ts'

standIn('service/src/system-clock.ts', 'fault/doubles/wall-clock.ts')
