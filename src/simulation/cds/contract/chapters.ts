import { doors } from './chapters/doors.ts'
import { jobsV1 } from './chapters/jobs-v1.ts'
import { jobsV2 } from './chapters/jobs-v2.ts'
import { models } from './chapters/models.ts'
import { sockets } from './chapters/sockets.ts'
import type { CdsSubject } from './subject.ts'
import { Transcript } from './transcript.ts'

/** Parts of the conversation with a CDS API, each on ground of its own. */
export const chapters: readonly { readonly title: string; readonly run: (transcript: Transcript) => Promise<void> }[] = [
  { title: 'doors', run: doors },
  { title: 'jobs-v1', run: jobsV1 },
  { title: 'jobs-v2', run: jobsV2 },
  { title: 'models', run: models },
  { title: 'sockets', run: sockets },
]

/** Everything that an API said in a chapter. */
export async function transcribe(subject: CdsSubject, chapter: (typeof chapters)[number]): Promise<string> {
  const transcript = new Transcript(subject)
  await chapter.run(transcript)
  return `${transcript.lines.join('\n')}\n`
}
