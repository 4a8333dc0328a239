import type { Setting } from './values.ts'

/** The settings of the dashboard. */
export const dashboardSettings = [
  {
    name: 'dashboardOrigin',
    env: 'TESSERA_DASHBOARD_ORIGIN',
    flag: '--dashboard-origin',
    type: 'origin',
    default: null,
    meaning: 'Origin of the dashboard; in test http://localhost with the port.',
    production: 'required, https, and another host name than formOrigin',
  },
  {
    name: 'dashboardPasswordCost',
    env: 'TESSERA_DASHBOARD_PASSWORD_COST',
    flag: '--dashboard-password-cost',
    type: 'integer',
    from: 4,
    to: 20,
    default: 17,
    meaning:
      "Cost of hashing dashboard users' passwords: the base-2 logarithm of scrypt's N. A stored password keeps its cost until it is changed.",
    production: 'at least 17',
    source: "OWASP's recommendation for scrypt (r 8, p 1): 128 MiB and 0.4 s; tests use less",
  },
] as const satisfies readonly Setting[]
