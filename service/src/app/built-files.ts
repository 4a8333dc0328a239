import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

/** Where `npm run build` puts the card form and its SDK. */
export const formFolder = join(repository, 'browser', 'dist')
/** Where `npm run build` puts the dashboard. */
export const dashboardFolder = join(repository, 'dashboard', 'dist')
