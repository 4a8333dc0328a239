/** The little of React that the wrapper uses: React itself is the merchant's, and nothing of it is installed here. */
declare module 'react' {
  export function useRef<T>(first: T): { current: T }
  export function useEffect(deed: () => (() => void) | undefined | void, by: readonly unknown[]): void
  export function createElement(tag: string, props: object): unknown
}
