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
  {
    name: 'dashboardConfirmationMinutes',
    env: 'TESSERA_DASHBOARD_CONFIRMATION_MINUTES',
    flag: '--dashboard-confirmation-minutes',
    type: 'integer',
    from: 1,
    to: 60,
    default: 5,
    meaning:
      'How long a confirmation (step-up) is valid in its session. Changes of credentials, roles and secrets, and refunds above a limit, ask for one.',
  },
  {
    name: 'signInWaitingMax',
    env: 'TESSERA_SIGN_IN_WAITING_MAX',
    flag: '--sign-in-waiting-max',
    type: 'integer',
    from: 4,
    to: 1000,
    default: 64,
    meaning:
      'Sign-ins of unknown devices that wait for their password to be evaluated; of more, those of the busiest addresses are refused.',
    source: 'each holds a connection for at most 20 s',
  },
  {
    name: 'signInRestPercent',
    env: 'TESSERA_SIGN_IN_REST_PERCENT',
    flag: '--sign-in-rest-percent',
    type: 'integer',
    from: 0,
    to: 1000,
    default: 300,
    meaning:
      'While sign-ins wait, the rest after evaluating a password, as a share of the time that it took. It leaves the processor to the API.',
    source: 'one hash in 1.4 s: an eighth of two cores, and a sign-in waits some 2 to 4 s',
  },
  {
    name: 'signInProofBitsMin',
    env: 'TESSERA_SIGN_IN_PROOF_BITS_MIN',
    flag: '--sign-in-proof-bits-min',
    type: 'integer',
    from: 0,
    to: 24,
    default: 15,
    meaning: 'Work of the smallest proof of work that a sign-in costs while others wait: the base-2 logarithm of its hashes.',
    source: 'some 0.03 s of a desktop computer, 0.2 s of a phone',
  },
  {
    name: 'signInProofBitsMax',
    env: 'TESSERA_SIGN_IN_PROOF_BITS_MAX',
    flag: '--sign-in-proof-bits-max',
    type: 'integer',
    from: 0,
    to: 24,
    default: 20,
    meaning: 'Work of the largest one, for addresses that sign in again and again.',
    source: 'some 1 s of a desktop computer, 5 s of a phone',
  },
] as const satisfies readonly Setting[]
