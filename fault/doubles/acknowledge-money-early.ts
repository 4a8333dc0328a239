// Preloaded: takes a step of a payment for durable 20 ms before it is written.
import { standIn } from './stand-in.ts'

standIn('service/src/store/answers.ts', 'fault/doubles/early-money-store.ts')
