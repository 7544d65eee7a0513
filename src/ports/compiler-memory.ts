/**
 * What V8's quick compiler needed for a function it throws away on another thread, much later: under load much waits for that, and the
 * allocator does not give it back. To be called when the program is loaded: Node's own compiled code is good for its first flags only.
 */
export function releaseCompilerMemoryAtOnce(): void {
  // Another V8 may not have the flag, and would complain.
  if (!process.versions.v8.startsWith('13.6.')) return
  process.getBuiltinModule('node:v8').setFlagsFromString('--no-maglev-destroy-on-background')
}
