import { readConfig, type Config } from '../ops/config/config.ts'

/** Where the hosted page is in these tests. */
export const hostedOrigin = 'https://form.example'

/** Every setting at its default, but for the origin of the hosted page. */
export const defaultConfig: Config = { ...readConfig([], {}).config, formOrigin: hostedOrigin }
