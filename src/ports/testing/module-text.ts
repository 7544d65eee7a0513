/**
 * How the script of another process imports a file of this room: `import { realClock } from ${moduleText('real-clock.ts')}`.
 * Only by a name that is known at run time: what is named outright counts as used, with everything in it.
 */
export function moduleText(file: string): string {
  return JSON.stringify(new URL(`../${file}`, import.meta.url).href)
}
