/** What the exit code of `aviary` says. Stable: scripts rely on it. docs/cli.md lists them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  listen: 4,
  dataFolder: 5,
  certificate: 6,
  unreachable: 7,
  notPermitted: 8,
  notFound: 9,
  notValid: 10,
  conflict: 11,
  timeout: 12,
  interrupted: 130,
} as const

/** One of `exitCodes`. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
