/** Names that cannot be used, by why. */
export interface NameTrouble {
  readonly missing: readonly string[]
  /** With what is wrong. */
  readonly brokenBySyntax: Readonly<Record<string, string>>
  /** With the hosts that do not resolve. */
  readonly unresolved: Readonly<Record<string, readonly string[]>>
}

/** Nothing is wrong with any name. */
export const noTrouble: NameTrouble = { missing: [], brokenBySyntax: {}, unresolved: {} }
