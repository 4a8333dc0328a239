// Preloaded: what fell is taken up again after 2 s instead of 30, so that settling falls under the kills as well.
import { standIn } from './stand-in.ts'

standIn('service/src/receipts/figures.ts', 'fault/doubles/short-figures.ts')
