import { isoTime } from '../../ports/index.ts'
import type { Job } from '../jobs/job.ts'
import type { SpawnSpec } from './spawn-records.ts'

/** As long as a text on a record may be. */
const longest = 1024

/** What the record of a job is about. `model` is empty if it names none. */
export function jobSpec({ id, version, title, queued }: Pick<Job, 'id' | 'version' | 'title' | 'queued'>, model: string): SpawnSpec {
  return {
    purpose: 'Job',
    job: id,
    version,
    ...(title !== '' && { title: title.slice(0, longest) }),
    ...(queued > 0 && { queued: isoTime(queued) }),
    ...(model !== '' && { model: model.slice(0, longest) }),
  }
}
