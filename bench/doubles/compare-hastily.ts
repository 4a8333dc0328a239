// Preloaded: a password check that ends early.
import { standIn } from '../../fault/doubles/stand-in.ts'

standIn('vault/src/credential.ts', 'bench/doubles/hasty-credential.ts')
