import type { Config } from '../../ops/config/config.ts'

/**
 * The settings of each of several workers: what the service as a whole may have is divided among them. What is allowed to one connection or one address stays
 * as it is, since a client's connections may all be at one worker.
 */
export function shareOf(config: Config, workers: number): Config {
  if (workers === 1) return config
  const divided = dividedSettings.map((name) => [name, Math.ceil(config[name] / workers)] as const)
  return { ...config, ...Object.fromEntries(divided) }
}

const dividedSettings = ['inFlightMax', 'connectionsMax', 'bufferedMegabytesMax', 'databaseWriters', 'signInWaitingMax'] as const
