// Preloaded: a payment of which the network says nothing is given back to be paid again, and nobody asks what became of it.
import { standIn } from './stand-in.ts'

standIn('service/src/receipts/unknown.ts', 'fault/doubles/forgetful-unknown.ts')
