import type { CommonMessages } from '../messages/en.ts'

/** The sign of a page beside its name in the navigation: lines on a grid of 16, in the colour of the text. A crossed page where there is none. */
export function PageIcon({ name }: { name: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={isNamed(name) ? paths[name] : noPagePath} />
    </svg>
  )
}

type IconName = keyof CommonMessages['pages'] | 'docs'

function isNamed(name: string): name is IconName {
  return Object.hasOwn(paths, name)
}

const noPagePath = 'M3.5 1.5h9v13h-9zM6 6l4 4M10 6l-4 4'

const paths: Readonly<Record<IconName, string>> = {
  overview: 'M1.5 13.5h13M3.5 13.5V8.5M8 13.5v-10M12.5 13.5V6',
  receipts: 'M3.5 1.5h9v13l-2.25-1.5L8 14.5 5.75 13 3.5 14.5zM6 5h4M6 8h4',
  cards: 'M1.5 3.5h13v9h-13zM1.5 6.5h13M4 10h3',
  customers: 'M8 7.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.5c.4-3 2.6-4.5 5.5-4.5s5.1 1.5 5.5 4.5',
  verification: 'M8 1.5l5.5 2v4c0 3.4-2.3 5.8-5.5 7-3.2-1.2-5.5-3.6-5.5-7v-4zM5.5 7.8l1.8 1.8 3.2-3.4',
  start: 'M3.5 14.5v-13h9l-2 3.25 2 3.25h-9',
  requests: 'M2 4h12M2 8h12M2 12h7',
  webhooks: 'M1.5 8h9M7.5 4.5 11 8l-3.5 3.5M14 2.5v11',
  sandbox: 'M5.5 1.5h5M6.5 1.5v4.5l-4 8h11l-4-8V1.5M5 10h6',
  form: 'M1.5 2.5h13v11h-13zM4.5 6h7M4.5 9.5h3.5',
  'page-check': 'M2.5 1.5h11v13h-11zM5 8l2.2 2.2L11 6',
  compliance: 'M1.5 4l1.5 1.5L5.5 3M1.5 11 3 12.5 5.5 10M8.5 4.5h6M8.5 11.5h6',
  audit: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 4.5V8l2.5 1.75',
  settings: 'M1.5 4.5H7M11.5 4.5h3M9.25 2.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM1.5 11.5h3M9 11.5h5.5M6.75 9.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  users:
    'M6 7a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 6 7zM1.5 14c.3-3 2-4.5 4.5-4.5s4.2 1.5 4.5 4.5M11 2a2.75 2.75 0 0 1 0 5M12 9.8c1.5.6 2.3 2 2.5 4.2',
  docs: 'M8 3.5C6.5 2.5 4 2.5 2 3v10.5c2-.5 4.5-.5 6 .5 1.5-1 4-1 6-.5V3c-2-.5-4.5-.5-6 .5zM8 3.5V14',
  account: 'M8 7.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.5c.4-3 2.6-4.5 5.5-4.5s5.1 1.5 5.5 4.5',
}
