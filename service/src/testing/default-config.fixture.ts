import { readConfig, type Config } from '../ops/config/config.ts'

/** Origin of the hosted page in tests. */
export const hostedOrigin = 'https://form.example'

/** Every setting at its default, but for the origin of the hosted page. */
export const defaultConfig: Config = { ...readConfig([], {}).config, formOrigin: hostedOrigin }
