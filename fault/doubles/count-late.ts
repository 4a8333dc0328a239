// Preloaded: counts the tries of a code after they were let through.
import { standIn } from './stand-in.ts'

standIn('service/src/store/answers.ts', 'fault/doubles/late-counting-store.ts')
