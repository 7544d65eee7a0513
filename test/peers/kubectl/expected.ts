import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Chapter } from './step.ts'

/** What kubectl printed of a chapter when it talked to a real kube-apiserver. */
export function expectedTranscript(chapter: Chapter): string {
  const file = fileOf(chapter)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Writes it down, when `AVIARY_RECORD` is set. */
export function recordTranscript(chapter: Chapter, transcript: string): void {
  if (process.env['AVIARY_RECORD'] !== undefined) writeFileSync(fileOf(chapter), transcript)
}

function fileOf({ title }: Chapter): URL {
  return new URL(`expected/${title.replaceAll(' ', '-')}.txt`, import.meta.url)
}
