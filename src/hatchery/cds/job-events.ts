import type { Log, WebSocketConnection } from '../../ports/index.ts'
import { CdsRefused } from './errors.ts'
import { fieldsOf, parseJson, textIn } from './reading.ts'

/** What a hatchery wants to hear of. CDS keeps it for one connection only. */
const filters = JSON.stringify([
  {
    type: 'queue',
    project_key: '',
    application_name: '',
    pipeline_name: '',
    environment_name: '',
    workflow_name: '',
    workflow_run_num: 0,
    workflow_node_run_id: 0,
    operation_uuid: '',
    hatchery_type: 'vsphere',
  },
])

/** V1: asks to be told of jobs, then gives the numbers of those that begin to wait. Throws `CdsRefused` if CDS does not want to. */
export async function* jobEventsV1(connection: WebSocketConnection, log: Log): AsyncGenerator<string> {
  connection.send(filters)
  for await (const message of connection.messages) {
    const answer = fieldsOf(jsonIn(message, log))
    if (textIn(answer, 'status') === 'KO') {
      const why = textIn(answer, 'error') || 'it gave no reason'
      throw CdsRefused({ call: 'the filters of GET /ws', status: 101, id: 0, why })
    }
    const event = fieldsOf(answer['event'])
    const id = textIn(fieldsOf(event['payload']), 'id')
    const concernsUs = textIn(event, 'type_event') === 'sdk.EventRunWorkflowJob' && textIn(event, 'status') === 'Waiting'
    if (concernsUs && id !== '') yield id
  }
}

/** V2: gives the ids of jobs that begin to wait. CDS knows from the sign-in which to tell of. */
export async function* jobEventsV2(connection: WebSocketConnection, log: Log): AsyncGenerator<string> {
  for await (const message of connection.messages) {
    const id = textIn(fieldsOf(jsonIn(message, log)), 'job_run_id')
    if (id !== '') yield id
  }
}

/** One message that makes no sense is no reason to hang up: the next may, and the queue is read in any case. */
function jsonIn(message: string, log: Log): unknown {
  try {
    return parseJson(message)
  } catch {
    log.warn('CDS sent an event that is not JSON', { length: message.length })
    return undefined
  }
}
