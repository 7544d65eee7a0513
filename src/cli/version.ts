import manifest from '../../package.json' with { type: 'json' }

/** The version of this program. Not the server room's: loading that takes longer than printing it. */
export const version: string = manifest.version
