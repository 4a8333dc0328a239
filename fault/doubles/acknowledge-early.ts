// Preloaded: acknowledges a card 20 ms before it is written.
import { standIn } from './stand-in.ts'

standIn('service/src/store/answers.ts', 'fault/doubles/early-store.ts')
