/** Why nothing could be checked, for the person who asked. */
export class CannotCheck extends Error {}
