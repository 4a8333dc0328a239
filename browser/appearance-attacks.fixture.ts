import type { Appearance, AppearanceSelector } from '@tessera/contract/appearance'
import { listProperties, listSelectors } from '@tessera/contract/appearance-syntax'
import { evilSelectors } from '@tessera/contract/css-injection.fixture'

/** Every color the same, and every size and shadow at its limit. */
export function strongest(color: string): Appearance {
  const shadow = [`0 12px 40px 4px ${color}`, `0 -12px 40px 4px ${color}`, `12px 0 40px 4px ${color}`, `-12px 0 40px 4px ${color}`].join(
    ', ',
  )
  const sizes: Readonly<Record<string, string>> = { padding: '24px', borderRadius: '32px', outlineWidth: '4px', outlineOffset: '4px', minHeight: '64px' } // prettier-ignore
  const rules = Object.fromEntries(
    listSelectors().map(({ selector, part, state }) => [
      selector,
      Object.fromEntries(
        listProperties(part, state).flatMap((property): [string, string][] => {
          const value = property === 'boxShadow' ? shadow : sizes[property]
          return value === undefined ? [] : [[property, value]]
        }),
      ),
    ]),
  ) as Readonly<Partial<Record<AppearanceSelector, object>>>
  return { variables: { background: 'transparent', border: color, accent: '#123456', radius: '32px' }, rules }
}

/** Appearances of a hostile page. None may have an effect. */
export const attacks: readonly unknown[] = [
  ...[
    { position: 'fixed', inset: '0', zIndex: '9' },
    { margin: '-400px', marginTop: '-99px', textIndent: '-9999px' },
    { opacity: '0', visibility: 'hidden', display: 'none' },
    { fontSize: '1px', lineHeight: '0', letterSpacing: '-1em' },
    { color: 'transparent', WebkitTextFillColor: 'transparent', webkitTextSecurity: 'disc' },
    { boxShadow: '0 0 0 9999px #fff' },
    { boxShadow: '0 400px 0 0 #fff' },
    { content: '"Paid"', animation: 'x 1s', transition: 'all 9s', transform: 'translate(-999px)' },
    { backgroundImage: 'url(https://evil.example)', background: 'url(https://evil.example)', cursor: 'url(x),auto', filter: 'blur(9px)' },
    { clipPath: 'inset(100%)', mask: 'url(x)', pointerEvents: 'none', width: '0', height: '0', maxHeight: '0', overflow: 'hidden' },
    { cssText: 'display:none', all: 'unset', '--accent': '#fff', 'background-color': '#fff' },
  ].map((declarations) => ({
    rules: Object.fromEntries(listSelectors().map(({ selector }) => [selector, declarations])),
  })),
  { rules: Object.fromEntries(evilSelectors.map((selector) => [selector, { color: '#fff', backgroundColor: '#fff' }])) },
  { rules: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`.Rule${String(index)}`, { color: '#fff' }])) },
  { rules: { '.Input': Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x${String(index)}`, '#fff'])) } },
  { rules: JSON.parse('{"__proto__":{".Input":{"color":"#f00"},"color":"#f00"},"constructor":{"prototype":{"color":"#f00"}}}') as unknown },
  { rules: 'footer{display:none}' },
  { rules: [{ '.Input': { color: '#f00' } }] },
  { style: 'footer{display:none}', css: '*{display:none}', fonts: [{ cssSrc: 'https://evil.example/x.css' }] },
  { font: 'https://evil.example/x.woff2' },
  { font: { family: 'x', src: 'url(https://evil.example)', unicodeRange: 'U+31' } },
  { variables: { fontFamily: 'url(x)', consent: '#fff', fixedText: '#fff', fixedBack: '#fff', link: '#fff' } },
]
