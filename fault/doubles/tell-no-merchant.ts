// Preloaded: merchants are asked before a payment, and never told after it.
import { standIn } from './stand-in.ts'

standIn('service/src/endpoint/told.ts', 'fault/doubles/untold-endpoint.ts')
