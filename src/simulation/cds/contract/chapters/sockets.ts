import type { WebSocketConnection } from '../../../../ports/index.ts'
import { Secret } from '../../../../ports/index.ts'
import { signedInHatchery } from '../hatchery.ts'
import { at, type Transcript } from '../transcript.ts'

/** What CDS needs to know; what is left out counts as empty. */
const filter = { type: 'queue', hatchery_type: 'vsphere' }

/** The news of jobs, by web socket. */
export async function sockets(t: Transcript): Promise<void> {
  const h = await signedInHatchery(t, 'listener', 'coast')
  const end = new AbortController()
  const connect = (path: string, token: string | undefined) =>
    t.subject.webSockets.connect({
      url: `${t.subject.url.replace(/^http/, 'ws')}${path}`,
      headers: token === undefined ? {} : { authorization: new Secret(`Bearer ${token}`) },
      signal: end.signal,
    })
  const refused = async (what: string, path: string, token: string | undefined) => {
    const said = await connect(path, token).then(
      connection => {
        connection.close()
        return 'accepted'
      },
      (error: { readonly details?: { readonly status?: number } }) => `refused with ${error.details?.status ?? 'no status'}`,
    )
    t.say(`${what}: ${said}`)
  }
  await refused('V1 web socket without a session', '/ws', undefined)
  await refused('V1 web socket with a V2 session', '/ws', h.sessionV2)
  await refused('V2 web socket without a session', '/v2/hatchery/ws', undefined)
  await refused('V2 web socket with a V1 session', '/v2/hatchery/ws', h.sessionV1)

  const v1 = await connect('/ws', h.sessionV1)
  const heardV1 = listen(v1)
  v1.send(JSON.stringify([{ ...filter, type: 'nonsense' }]))
  const bad = await heardV1(() => true)
  t.say(`V1 bad filter: ${String(at(bad, 'status'))}`)
  v1.send(JSON.stringify([filter]))
  await t.until('V1 filter is taken', 1, { path: '/worker', token: h.sessionV1 }, () => true)
  const job = await t.subject.startJobV1('SOC')
  const news = await heardV1(message => at(message, 'event.payload.id') === job)
  const keys = ['type_event', 'status', 'project_key', 'workflow_run_num', 'attempt']
  t.say(`V1 news: ${String(at(news, 'status'))}, ${keys.map(key => `${key} ${JSON.stringify(at(news, `event.${key}`))}`).join(', ')}`)
  t.say(`V1 payload: ${JSON.stringify(at(news, 'event.payload')).replace(String(job), 'ID')}`)
  v1.close()

  const v2 = await connect('/v2/hatchery/ws', h.sessionV2)
  const heardV2 = listen(v2)
  const run = await t.subject.startJobV2({ project: 'SOC', region: 'coast', image: 'debian12' })
  const hers = await heardV2(message => at(message, 'job_run_id') === run)
  t.say(
    `V2 news: ${Object.keys(hers as object)
      .toSorted()
      .join(' ')}`,
  )
  t.say(`V2 news: ${['region', 'model_type', 'model_osarch', 'project_key', 'job_id'].map(key => JSON.stringify(at(hers, key))).join(' ')}`)
  await t.quietly({ method: 'POST', path: `/v2/queue/coast/job/${run}/hatchery/take`, token: h.sessionV2 })
  await t.quietly({ method: 'DELETE', path: `/v2/queue/coast/job/${run}/hatchery/take`, token: h.sessionV2 })
  const again = await heardV2(message => at(message, 'job_run_id') === run)
  t.say(`V2 news after a release: ${at(again, 'job_run_id') === run ? 'the same job' : 'none'}`)
  v2.close()
  end.abort()
}

/** Gives the next message that fits. Messages in between are of others. */
function listen(connection: WebSocketConnection): (fits: (message: unknown) => boolean) => Promise<unknown> {
  const source = connection.messages[Symbol.asyncIterator]()
  return async fits => {
    for (;;) {
      const { value, done } = await source.next()
      if (done === true) return undefined
      const message: unknown = JSON.parse(value)
      if (fits(message)) return message
    }
  }
}
