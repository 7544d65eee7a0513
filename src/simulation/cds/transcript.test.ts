import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { chapters, transcribe } from './contract/chapters.ts'
import { simulatedSubject } from './contract/simulated-subject.ts'

test.each(chapters)('the simulated CDS says what the real one says: $title', async chapter => {
  const recorded = readFileSync(new URL(`recorded/${chapter.title}.txt`, import.meta.url), 'utf8')
  expect(await transcribe(simulatedSubject(), chapter)).toBe(recorded)
})
