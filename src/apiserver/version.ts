/** The Kubernetes API that this server speaks. Clients compare it with their own and warn if they are too far apart. */
const kubernetes = { major: '1', minor: '35' }

/** The answer to `/version`: in the form in which distributions of Kubernetes name themselves. */
export function versionDocument(version: string): object {
  return {
    ...kubernetes,
    gitVersion: `v${kubernetes.major}.${kubernetes.minor}.0+aviary.${version}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'node',
    platform: `${process.platform}/${process.arch}`,
  }
}
