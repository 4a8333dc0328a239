import type { Config } from '../../ops/config/config.ts'

/**
 * The settings of each of several workers: what the service as a whole may have is divided among them. What is allowed to one connection or one address stays
 * as it is, since a client's connections may all be at one worker.
 */
export function shareOf(config: Config, workers: number): Config {
  if (workers === 1) return config
  const divided = dividedSettings.map((name) => [name, Math.ceil(config[name] / workers)] as const)
  // The places of all endpoints are divided too: a silent endpoint must not have nearly all of one worker's. A shop's few connections may all be at one.
  const endpointInFlightMax = Math.min(
    config.endpointInFlightMax,
    Math.max(endpointPlacesMin, Math.ceil(config.endpointInFlightMax / workers)),
  )
  return { ...config, ...Object.fromEntries(divided), endpointInFlightMax }
}

const dividedSettings = ['inFlightMax', 'connectionsMax', 'bufferedMegabytesMax', 'databaseWriters', 'signInWaitingMax'] as const
const endpointPlacesMin = 10
