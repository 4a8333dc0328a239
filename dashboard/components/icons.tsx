/** The signs that stand beside texts: lines on a grid of 16, in the colour of the text. Pages of the navigation have theirs in app/page-icon.tsx. */
export function SignIcon({ name }: { name: SignName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={signs[name]} />
    </svg>
  )
}

export type SignName = keyof typeof signs

const signs = {
  warning: 'M8 2 14.5 13.5h-13zM8 6.5v3M8 11.5v.2',
  done: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM5 8.2l2.1 2.1L11.2 6',
  open: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z',
} as const
