/** Styles are bundled by the build. Nothing is imported from them by name. */
declare module '*.css' {}
