import type { PageDefinition } from './pages.ts'

/** The sign of a page beside its name in the navigation: lines on a grid of 16, in the colour of the text. */
export function PageIcon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}

/** The pages that have one. */
export const pageIconNames: readonly PageDefinition['name'][] = [
  'overview',
  'receipts',
  'cards',
  'customers',
  'verification',
  'requests',
  'webhooks',
  'sandbox',
  'form',
  'page-check',
  'compliance',
  'audit',
  'users',
]

type IconName = PageDefinition['name'] | 'docs'

const paths: Readonly<Record<IconName, string>> = {
  overview: 'M1.5 13.5h13M3.5 13.500V8.500M8 13.500v-10M12.5 13.500V6',
  receipts: 'M3.5 1.500h9v13l-2.25-1.500L8 14.5 5.75 13 3.5 14.500zM6 5h4M6 8h4',
  cards: 'M1.5 3.500h13v9h-13zM1.5 6.500h13M4 10h3',
  customers: 'M8 7.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.500c.4-3 2.6-4.5 5.5-4.500s5.1 1.5 5.5 4.5',
  verification: 'M8 1.500l5.5 2v4c0 3.4-2.3 5.8-5.5 7-3.2-1.2-5.5-3.6-5.5-7v-4zM5.5 7.800l1.8 1.8 3.2-3.4',
  start: 'M3.5 14.500v-13h9l-2 3.25 2 3.250h-9',
  requests: 'M2 4h12M2 8h12M2 12h7',
  webhooks: 'M1.5 8h9M7.5 4.5 11 8l-3.5 3.500M14 2.500v11',
  sandbox: 'M5.5 1.500h5M6.5 1.500v4.500l-4 8h11l-4-8V1.500M5 10h6',
  form: 'M1.5 2.500h13v11h-13zM4.5 6h7M4.5 9.500h3.5',
  'page-check': 'M2.5 1.500h11v13h-11zM5 8l2.2 2.200L11 6',
  compliance: 'M1.5 4l1.5 1.500L5.5 3M1.5 11 3 12.5 5.5 10M8.5 4.500h6M8.5 11.500h6',
  audit: 'M8 1.500a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 4.500V8l2.5 1.75',
  settings:
    'M1.5 4.500H7M11.5 4.500h3M9.25 2.500a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM1.5 11.500h3M9 11.500h5.500M6.75 9.500a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  users:
    'M6 7a2.75 2.75 0 1 0 0-5.500A2.75 2.75 0 0 0 6 7zM1.5 14c.3-3 2-4.5 4.5-4.500s4.2 1.5 4.5 4.500M11 2a2.75 2.75 0 0 1 0 5M12 9.800c1.5.6 2.3 2 2.5 4.2',
  docs: 'M8 3.500C6.500 2.500 4 2.500 2 3v10.500c2-.5 4.500-.5 6 .5 1.500-1 4-1 6-.5V3c-2-.5-4.500-.5-6 .5zM8 3.500V14',
  account: 'M8 7.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.500c.4-3 2.6-4.5 5.5-4.500s5.1 1.5 5.5 4.5',
}
