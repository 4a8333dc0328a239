/** One wrong configuration of a production start. docs/reference/refused-starts.md is printed from this list, and a test tries each. */
export interface RefusedStart {
  readonly area: string
  /** What is wrong, in a few words. */
  readonly wrong: string
  /** What differs from `rightSettings`; null: not set. `<folder>` stands for the folder of `startFiles`. */
  readonly settings: Readonly<Record<string, string | null>>
  /** The reason that the start gives; `…` stands for any text. */
  readonly reason: string
}

/** A production configuration with which nothing is wrong, as far as settings, files and ports go. */
export const rightSettings: Readonly<Record<string, string>> = {
  TESSERA_ENV: 'production',
  TESSERA_DATA: '<folder>/data',
  TESSERA_PORT: '0',
  TESSERA_ADMIN_PORT: '0',
  TESSERA_PROVIDER_NAME: 'A provider',
  TESSERA_PROVIDER_URL: 'https://provider.example',
  TESSERA_TERMS_URL: 'https://provider.example/terms',
  TESSERA_PRIVACY_URL: 'https://provider.example/privacy',
  TESSERA_DISCLOSURE: '{"version":"1","en":"a","ru":"b","uz":"c"}',
  TESSERA_FORM_ORIGIN: 'https://pay.example',
  TESSERA_DASHBOARD_ORIGIN: 'https://merchants.example',
  TESSERA_TLS_CERT_FILE: '<folder>/cert.pem',
  TESSERA_TLS_KEY_FILE: '<folder>/key.pem',
  TESSERA_KEK: 'transit',
  TESSERA_KEK_TRANSIT_URL: 'https://vault.example',
  TESSERA_KEK_TRANSIT_TOKEN_FILE: '<folder>/secret',
  TESSERA_NETWORK: 'iso8583',
  TESSERA_NETWORK_ISO8583_HOST: 'network.example',
  TESSERA_NETWORK_ISO8583_ROUTES: '8600',
  TESSERA_NETWORK_ISO8583_TERMINAL_ID: 'TERM0001',
  TESSERA_NETWORK_ISO8583_ACCEPTOR_ID: 'ACCEPTOR0000001',
  TESSERA_SMS: 'http',
  TESSERA_SMS_HTTP_TEMPLATE: 'playmobile',
  TESSERA_SMS_HTTP_BASE_URL: 'https://sms.example',
  TESSERA_SMS_HTTP_USERNAME: 'user',
  TESSERA_SMS_HTTP_PASSWORD_FILE: '<folder>/secret',
  TESSERA_SMS_HTTP_SENDER: '3700',
}

/** The files that the settings name: PEM or text, and the mode. The test writes them. */
export const startFiles = [
  'cert.pem',
  'key.pem',
  'open-key.pem',
  'other-key.pem',
  'expired.pem',
  'expired-key.pem',
  'secret',
  'open-secret',
  'database-url',
] as const

const missing = (env: string): RefusedStart => ({
  area: 'Missing',
  wrong: `\`${env}\` is not set`,
  settings: { [env]: null },
  reason: `missing: ${env} is not set.`,
})
const keysDatabase = { TESSERA_KEYS_DATABASE_URL: 'postgres://keys@127.0.0.1:1/keys?sslmode=verify-full' }
const database = { TESSERA_DATABASE_URL: 'postgres://cards@127.0.0.1:1/cards?sslmode=verify-full', ...keysDatabase }

const messageCentre = {
  TESSERA_SMS: 'smpp',
  TESSERA_SMS_SMPP_HOST: 'smsc.example',
  TESSERA_SMS_SMPP_SYSTEM_ID: 'shop',
  TESSERA_SMS_SMPP_PASSWORD_FILE: '<folder>/secret',
  TESSERA_SMS_SMPP_SENDER: '3700',
}
const uzcard = {
  TESSERA_NETWORK_UZCARD_URL: 'https://uzcard.example',
  TESSERA_NETWORK_UZCARD_USERNAME: 'shop',
  TESSERA_NETWORK_UZCARD_PASSWORD_FILE: '<folder>/secret',
  TESSERA_NETWORK_UZCARD_ROUTES: '8600',
  TESSERA_NETWORK_UZCARD_MERCHANT_ID: 'M1',
  TESSERA_NETWORK_UZCARD_TERMINAL_ID: 'T1',
  TESSERA_NETWORK_UZCARD_PORT: '1',
  TESSERA_NETWORK_UZCARD_RECEIVER_ID: 'R1',
}

export const refusedStarts: readonly RefusedStart[] = [
  ...['TESSERA_PROVIDER_NAME', 'TESSERA_PROVIDER_URL', 'TESSERA_TERMS_URL', 'TESSERA_PRIVACY_URL', 'TESSERA_DISCLOSURE'].map(missing),
  ...['TESSERA_FORM_ORIGIN', 'TESSERA_DASHBOARD_ORIGIN'].map(missing),
  ...[
    { env: 'TESSERA_KEK', name: 'the provider of the KEK' },
    { env: 'TESSERA_NETWORK', name: 'the card network' },
    { env: 'TESSERA_SMS', name: 'the SMS gateway' },
  ].map(({ env, name }) => ({ ...missing(env), wrong: `\`${env}\`, ${name}, is not set`, reason: `missing: ${env} is not set…` })),
  refused(
    'Missing',
    'a database without one for the keys',
    { ...database, TESSERA_KEYS_DATABASE_URL: null },
    'missing: TESSERA_KEYS_DATABASE_URL is not set.',
  ),
  refused(
    'Not for production',
    'the development key',
    { TESSERA_KEK: 'file' },
    'forbidden: TESSERA_KEK=file is an adapter of the test environment.',
  ),
  refused(
    'Not for production',
    'the sandbox as card network',
    { TESSERA_NETWORK: 'sandbox' },
    'forbidden: TESSERA_NETWORK=sandbox is an adapter of the test environment.',
  ),
  refused(
    'Not for production',
    'the sandbox as SMS gateway',
    { TESSERA_SMS: 'sandbox' },
    'forbidden: TESSERA_SMS=sandbox is an adapter of the test environment.',
  ),
  refused('Not for production', 'limits are off', { TESSERA_LIMITS: 'off' }, 'forbidden: TESSERA_LIMITS is off.'),
  refused(
    'Not for production',
    'password hashes that are cheap to try',
    { TESSERA_DASHBOARD_PASSWORD_COST: '16' },
    'forbidden: TESSERA_DASHBOARD_PASSWORD_COST is below 17.',
  ),
  refused(
    'Not for production',
    'codes that can be guessed',
    { TESSERA_OTP_LENGTH: '5' },
    'forbidden: the verification policy of the service has only 100,000 possible codes, …',
  ),
  refused('Hosts', 'the form by plain http', { TESSERA_FORM_ORIGIN: 'http://pay.example' }, 'forbidden: TESSERA_FORM_ORIGIN is not https.'),
  refused(
    'Hosts',
    'the dashboard by plain http',
    { TESSERA_DASHBOARD_ORIGIN: 'http://merchants.example' },
    'forbidden: TESSERA_DASHBOARD_ORIGIN is not https.',
  ),
  refused(
    'Traces',
    'a receiver on another machine by plain http',
    { TESSERA_TRACES_ENDPOINT: 'http://collector.example:4318/v1/traces' },
    'forbidden: TESSERA_TRACES_ENDPOINT is http to another machine. …',
  ),
  refused(
    'Traces',
    'a line without TLS to the receiver, without a reason',
    { TESSERA_TRACES_ENDPOINT: 'http://collector.example:4318/v1/traces', TESSERA_TRACES_TRANSPORT: 'private' },
    'missing: TESSERA_TRACES_PRIVATE_REASON is not set; …',
  ),
  refused('Hosts', 'the API by plain http', { TESSERA_API_ORIGIN: 'http://pay.example' }, 'forbidden: TESSERA_API_ORIGIN is not https.'),
  refused(
    'Hosts',
    'form and dashboard on one host',
    { TESSERA_DASHBOARD_ORIGIN: 'https://pay.example:8443' },
    'forbidden: form and dashboard are on one host name, so they would share cookies; give each its own.',
  ),
  refused(
    'Hosts',
    'API and dashboard on one host',
    { TESSERA_API_ORIGIN: 'https://merchants.example' },
    'forbidden: API and dashboard are on one host name; give each its own.',
  ),
  refused(
    'TLS',
    'plain http that other machines reach',
    { TESSERA_HOST: '0.0.0.0', TESSERA_TLS_CERT_FILE: null, TESSERA_TLS_KEY_FILE: null },
    'forbidden: TESSERA_HOST is 0.0.0.0, which other machines may reach by plain http. …',
  ),
  refused(
    'TLS',
    'a certificate without its key',
    { TESSERA_TLS_KEY_FILE: null },
    'TESSERA_TLS_CERT_FILE is set, and TESSERA_TLS_KEY_FILE is not. …',
  ),
  refused(
    'TLS',
    'a file that is not there',
    { TESSERA_TLS_CERT_FILE: '<folder>/none.pem' },
    'TESSERA_TLS_CERT_FILE names <folder>/none.pem, which cannot be read (ENOENT). …',
  ),
  refused(
    'TLS',
    'a key that others may read',
    { TESSERA_TLS_KEY_FILE: '<folder>/open-key.pem' },
    'TESSERA_TLS_KEY_FILE names <folder>/open-key.pem, which other users may read. …',
  ),
  refused(
    'TLS',
    'the key of another certificate',
    { TESSERA_TLS_KEY_FILE: '<folder>/other-key.pem' },
    'The key of TESSERA_TLS_KEY_FILE is not that of the certificate of TESSERA_TLS_CERT_FILE. …',
  ),
  refused(
    'TLS',
    'an expired certificate',
    { TESSERA_TLS_CERT_FILE: '<folder>/expired.pem', TESSERA_TLS_KEY_FILE: '<folder>/expired-key.pem' },
    'The certificate of TESSERA_TLS_CERT_FILE expired on … Renew it.',
  ),
  refused(
    'TLS',
    'a certificate of other hosts',
    { TESSERA_API_ORIGIN: 'https://api.example' },
    'The certificate of TESSERA_TLS_CERT_FILE is for …, and not for api.example of TESSERA_API_ORIGIN. …',
  ),
  refused(
    'Monitoring',
    'the admin port for anybody',
    { TESSERA_ADMIN_HOST: '0.0.0.0' },
    'TESSERA_ADMIN_HOST is 0.0.0.0, which other machines may reach, and neither a token nor client certificates are required there. …',
  ),
  refused('Monitoring', 'a token that is too short', { TESSERA_ADMIN_TOKEN: 'short' }, 'The token of TESSERA_ADMIN_TOKEN is not usable: …'),
  refused(
    'Monitoring',
    'one port for API and monitoring',
    { TESSERA_PORT: '18080', TESSERA_ADMIN_PORT: '18080' },
    'TESSERA_PORT and TESSERA_ADMIN_PORT are both 18080; …',
  ),
  refused(
    'Database',
    'cards and keys in one database',
    { ...database, TESSERA_KEYS_DATABASE_URL: database.TESSERA_DATABASE_URL },
    'forbidden: TESSERA_KEYS_DATABASE_URL is the database of the cards; a backup of the cards must not hold their keys.',
  ),
  refused(
    'Database',
    'a database over TCP without TLS',
    { ...database, TESSERA_DATABASE_URL: 'postgres://cards@127.0.0.1:1/cards' },
    'forbidden: TESSERA_DATABASE_URL is reached over TCP and has no sslmode; …',
  ),
  refused(
    'Database',
    'TLS that checks no name',
    { ...database, TESSERA_DATABASE_URL: 'postgres://cards@127.0.0.1:1/cards?sslmode=require' },
    'forbidden: TESSERA_DATABASE_URL is reached over TCP and has sslmode=require; …',
  ),
  refused(
    'Database',
    'an authority whose file is not there',
    { ...database, TESSERA_DATABASE_URL: `${database.TESSERA_DATABASE_URL}&sslrootcert=/none.pem` },
    'forbidden: the file of sslrootcert in TESSERA_DATABASE_URL, /none.pem, cannot be read by this user.',
  ),
  refused(
    'Database',
    'a private line without a reason',
    { ...database, TESSERA_DATABASE_TRANSPORT: 'private' },
    'missing: TESSERA_DATABASE_PRIVATE_REASON is not set; …',
  ),
  refused(
    'Outside systems',
    'a KEK provider without its settings',
    { TESSERA_KEK_TRANSIT_URL: null },
    'missing: TESSERA_KEK_TRANSIT_URL is not set…',
  ),
  refused(
    'Outside systems',
    'a gateway without its password',
    { TESSERA_SMS_HTTP_PASSWORD_FILE: null },
    'missing: TESSERA_SMS_HTTP_PASSWORD_FILE is not set…',
  ),
  refused(
    'Outside systems',
    'a secret that others may read',
    { TESSERA_SMS_HTTP_PASSWORD_FILE: '<folder>/open-secret' },
    'forbidden: TESSERA_SMS_HTTP_PASSWORD_FILE: the secret file <folder>/open-secret can be read by other users: chmod 600 it.',
  ),
  refused(
    'Outside systems',
    'a gateway without TLS whose line is not private',
    { TESSERA_SMS_HTTP_BASE_URL: 'http://sms.example' },
    'forbidden: TESSERA_SMS=http: the gateway at http://sms.example has no TLS: use https, or declare the line private …',
  ),
  refused(
    'Outside systems',
    'a gateway whose address has a path or a password',
    { TESSERA_SMS_HTTP_BASE_URL: 'https://shop:hunter2@sms.example/send' },
    'forbidden: TESSERA_SMS=http: TESSERA_SMS_HTTP_BASE_URL is no address of a gateway: give scheme, host and port only, such as https://sms.example.uz.',
  ),
  refused(
    'Outside systems',
    'a template of a gateway that is not there',
    { TESSERA_SMS_HTTP_TEMPLATE: '<folder>/none.json' },
    'forbidden: TESSERA_SMS_HTTP_TEMPLATE: the template <folder>/none.json cannot be read (ENOENT).',
  ),
  refused(
    'Outside systems',
    'a name that is too long for a message centre',
    { ...messageCentre, TESSERA_SMS_SMPP_SYSTEM_ID: 'sixteen-letters-' },
    'forbidden: TESSERA_SMS=smpp: the systemId of the SMS gateway smpp must have at most 15 ASCII characters (SMPP 3.4).',
  ),
  refused(
    'Outside systems',
    'a way to bind that SMPP does not have',
    { ...messageCentre, TESSERA_SMS_SMPP_BIND: 'both' },
    'TESSERA_SMS_SMPP_BIND is "both"; expected transceiver or transmitter_and_receiver.',
  ),
  refused(
    'Outside systems',
    'authorities of a message centre that are not there',
    { ...messageCentre, TESSERA_SMS_SMPP_CA_FILE: '<folder>/none.pem' },
    'forbidden: TESSERA_SMS_SMPP_CA_FILE: the file <folder>/none.pem cannot be read (ENOENT).',
  ),
  refused(
    'Outside systems',
    'a KEK provider by plain http',
    { TESSERA_KEK_TRANSIT_URL: 'http://vault.example' },
    'TESSERA_KEK_TRANSIT_URL is "http://vault.example"; expected an https URL.',
  ),
  refused(
    'Outside systems',
    'a KEK provider whose address has a path',
    { TESSERA_KEK_TRANSIT_URL: 'https://vault.example/v1/' },
    'forbidden: TESSERA_KEK=transit: the address of the transit engine has more than scheme, host and port.',
  ),
  refused(
    'Outside systems',
    'a token of the KEK provider that is not there',
    { TESSERA_KEK_TRANSIT_TOKEN_FILE: '<folder>/none' },
    'forbidden: TESSERA_KEK=transit: the secret file <folder>/none cannot be read (ENOENT).',
  ),
  ...[
    { env: 'TESSERA_HOLDER_HTTP_URL', what: 'a holder service' },
    { env: 'TESSERA_NETWORK_UZCARD_URL', what: 'Uzcard' },
    { env: 'TESSERA_NETWORK_HUMO_CARD_URL', what: 'the cards of Humo' },
    { env: 'TESSERA_NETWORK_HUMO_PAYMENT_URL', what: 'the payments of Humo' },
  ].map(({ env, what }) =>
    refused(
      'Outside systems',
      `${what} by plain http`,
      { [env]: 'http://host.example' },
      `${env} is "http://host.example"; expected an https URL.`,
    ),
  ),
  refused(
    'Outside systems',
    'authorities of a network that are not there',
    { TESSERA_NETWORK_ISO8583_CA_FILE: '<folder>/none.pem' },
    'forbidden: TESSERA_NETWORK_ISO8583_CA_FILE: the file <folder>/none.pem cannot be read (ENOENT).',
  ),
  refused(
    'Outside systems',
    'a field table that is not JSON',
    { TESSERA_NETWORK_ISO8583_FIELD_TABLE: '<folder>/secret' },
    'forbidden: TESSERA_NETWORK_ISO8583_FIELD_TABLE: the ISO 8583 field table <folder>/secret cannot be read as JSON.',
  ),
  refused(
    'Outside systems',
    'two networks that take the same cards',
    { ...uzcard, TESSERA_NETWORK: 'iso8583,uzcard' },
    'forbidden: card networks overlap: …',
  ),
  refused(
    'Outside systems',
    'a network on a private line without a reason',
    { TESSERA_NETWORK_ISO8583_TRANSPORT: 'private' },
    'missing: TESSERA_NETWORK_ISO8583_PRIVATE_REASON is not set; …',
  ),
  refused(
    'Data folder',
    'a folder of the test environment',
    { TESSERA_DATA: '<folder>/data-of-test' },
    'forbidden: the data folder <folder>/data-of-test was made in the test environment and cannot be opened in production: set TESSERA_DATA to another.',
  ),
  refused(
    'Data folder',
    'a folder with a development key',
    { TESSERA_DATA: '<folder>/data-with-key' },
    'forbidden: the data folder <folder>/data-with-key has a development key.',
  ),
  refused(
    'Data folder',
    'a folder that others may read',
    { TESSERA_DATA: '<folder>/data-open' },
    'forbidden: the data folder <folder>/data-open is open to other users: chmod 700 it.',
  ),
  refused(
    'Values',
    'a setting that does not exist',
    { TESSERA_FROM_ORIGIN: 'https://pay.example' },
    'TESSERA_FROM_ORIGIN is not a setting.…',
  ),
  refused('Values', 'a value that is none', { TESSERA_OTP_LENGTH: 'six' }, 'TESSERA_OTP_LENGTH is "six"; expected …'),
  refused(
    'Values',
    'a secret twice',
    { ...database, TESSERA_DATABASE_URL_FILE: '<folder>/database-url' },
    'TESSERA_DATABASE_URL and TESSERA_DATABASE_URL_FILE are both set: remove one of them.',
  ),
]

function refused(area: string, wrong: string, settings: RefusedStart['settings'], reason: string): RefusedStart {
  return { area, wrong, settings, reason }
}
