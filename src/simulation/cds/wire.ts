import { isoTime, isoTimeMicro } from '../../ports/index.ts'
import type { Group, Hatchery, JobV1, JobV2, ModelV1, Service, SpawnInfo, WorkerV1, WorkerV2 } from './records.ts'

/** How CDS writes a time that was never set. */
const noTime = '0001-01-01T00:00:00Z'

/** A time as CDS writes it. */
function time(milliseconds: number | undefined): string {
  return milliseconds === undefined ? noTime : isoTimeMicro(milliseconds)
}

/** A V1 job as the API shows it. What is empty is left out, and `bookedby` of a free job is an empty object. */
export function jobV1(job: JobV1, now: number): object {
  const { booking } = job
  const booked = booking !== undefined && booking.until > now
  return {
    project_id: job.project.id,
    id: job.id,
    workflow_node_run_id: job.id,
    job: {
      pipeline_action_id: job.id,
      pipeline_stage_id: 1,
      enabled: true,
      action: { id: job.id, name: job.name, type: 'Joined', requirements: job.requirements.map(each => ({ ...each })) },
      step_status: null,
      reason: job.reason ?? '',
      worker_name: job.worker ?? '',
      worker_id: '',
    },
    parameters: [
      { name: 'cds.project', type: 'string', value: job.project.key },
      { name: 'cds.version', type: 'number', value: String(job.run) },
    ],
    status: job.status,
    retry: 0,
    queued: time(job.queued),
    queued_seconds: Math.floor((now - job.queued) / 1000),
    start: noTime,
    done: noTime,
    ...(job.modelType !== '' && { model_type: job.modelType }),
    ...(job.region !== undefined && { region: job.region }),
    bookedby: booked ? { name: booking.service.name, id: booking.service.id } : {},
    spawninfos: job.infos.map(spawnInfo),
    exec_groups: job.groups.map(group),
    header: { 'X-Project-Key': job.project.key, 'X-Workflow': job.workflow, 'X-Workflow-Run': `${job.run}.0` },
  }
}

function spawnInfo(info: SpawnInfo): object {
  return { api_time: time(info.time), remote_time: time(info.time), message: { id: info.id, args: info.args }, user_message: info.id }
}

/** What a booking answers. */
export function bookedJobV1(job: JobV1): object {
  return {
    project_key: job.project.key,
    workflow_name: job.workflow,
    workflow_id: job.project.id,
    run_id: job.id,
    node_run_name: job.name,
    node_run_id: job.id,
    job_name: job.name,
  }
}

/** The news that a V1 job waits, as the web socket brings it. */
export function jobV1Event(job: JobV1, now: number): object {
  return {
    status: 'OK',
    error: '',
    event: {
      timestamp: time(now),
      hostname: 'simulated',
      cdsname: 'api1',
      type_event: 'sdk.EventRunWorkflowJob',
      payload: { id: job.id, status: job.status, start: -62_135_596_800 },
      attempt: 0,
      project_key: job.project.key,
      workflow_name: job.workflow,
      workflow_run_num: job.run,
      workflow_node_run_id: job.id,
      status: job.status,
      tag: [],
      event_integrations_id: [],
      ...(job.region !== undefined && { region: job.region }),
      ...(job.modelType !== '' && { model_type: job.modelType }),
    },
  }
}

/** A V2 job as the API shows it. */
export function jobV2(job: JobV2): object {
  return {
    id: job.id,
    job_id: job.name,
    workflow_run_id: job.runId,
    project_key: job.project,
    vcs_server: 'forge',
    repository: 'o/r',
    workflow_name: job.workflow,
    run_number: job.run,
    run_attempt: 1,
    retry: 0,
    status: job.status,
    queued: time(job.queued),
    ...(job.scheduled !== undefined && { scheduled: time(job.scheduled) }),
    ...(job.started !== undefined && { started: time(job.started) }),
    ...(job.ended !== undefined && { ended: time(job.ended) }),
    job: {
      name: job.name,
      steps: [{ id: 'step-1', run: 'echo hello' }],
      region: job.region,
      'runs-on': job.runsOnAsText ? job.runsOn.model : job.runsOn,
    },
    worker_name: job.worker,
    hatchery_name: job.hatchery,
    steps_status: null,
    user_id: '',
    username: '',
    admin_mfa: false,
    region: job.region,
    model_type: job.model.type,
    model_osarch: job.model.osarch,
    initiator: {},
  }
}

/** The news that a V2 job waits, as the web socket brings it. */
export function jobV2Event(job: JobV2): object {
  return {
    region: job.region,
    model_type: job.model.type,
    model_osarch: job.model.osarch,
    job_run_id: job.id,
    run_number: job.run,
    workflow_name: job.workflow,
    project_key: job.project,
    job_id: job.name,
  }
}

/** A V1 worker as the API shows it. */
export function workerV1(worker: WorkerV1): object {
  return {
    id: worker.id,
    name: worker.name,
    lastbeat: time(worker.lastBeat),
    model_id: worker.model?.id ?? null,
    model_name: worker.modelName,
    job_run_id: worker.job ?? null,
    status: worker.status,
    hatchery_id: worker.hatchery.id,
    hatchery_name: worker.hatchery.name,
    uptodate: false,
    version: worker.program.version,
    os: worker.program.os,
    arch: worker.program.arch,
  }
}

/** A V2 worker as the API shows it. */
export function workerV2(worker: WorkerV2): object {
  return {
    id: worker.id,
    name: worker.name,
    last_beat: time(worker.lastBeat),
    model_name: worker.modelName,
    run_job_id: worker.job,
    status: worker.status,
    hatchery_id: worker.hatchery.id,
    hatchery_name: worker.hatchery.name,
    version: worker.program.version,
    os: worker.program.os,
    arch: worker.program.arch,
  }
}

/** A V1 model as the API shows it. */
export function modelV1(model: ModelV1): object {
  return {
    id: model.id,
    name: model.name,
    description: '',
    type: model.type,
    disabled: model.disabled,
    restricted: model.restricted,
    registered_os: model.registeredOs ?? null,
    registered_arch: model.registeredArch ?? null,
    need_registration: model.needRegistration,
    last_registration: time(model.lastRegistration),
    check_registration: model.checkRegistration,
    // Whole seconds would do: by them a hatchery tells whether a template is the latest.
    user_last_modified: isoTime(model.userLastModified),
    created_by: { username: 'root1', fullname: 'Root One', email: 'root1@localhost.local' },
    group_id: model.group.id,
    nb_spawn_err: model.spawnErrors,
    last_spawn_err: model.lastSpawnError ?? null,
    last_spawn_err_log: null,
    date_last_spawn_err: null,
    is_deprecated: model.isDeprecated,
    model_virtual_machine: model.machine,
    model_docker: {},
    group: group(model.group),
    registered_capabilities: model.capabilities,
    is_official: model.group.name === 'shared.infra',
  }
}

/** The secrets of a V1 model as the API shows them to hatcheries. */
export function secretsV1({ id, userLastModified, secrets }: ModelV1): readonly object[] {
  return Array.from(secrets, ([name, value]) => ({
    id: `${id}-${name}`,
    created: time(userLastModified),
    worker_model_id: id,
    name,
    value,
  }))
}

/** A V1 hatchery as the API keeps it. */
export function service(row: Service): object {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    http_url: row.url,
    config: row.config,
    public_key: row.publicKey,
    region: row.region ?? null,
    ignore_job_with_no_region: row.ignoreJobWithNoRegion ?? null,
    last_heartbeat: time(row.lastHeartbeat),
    monitoring_status: { now: noTime, lines: null },
    version: '',
    up_to_date: false,
  }
}

/** A V2 hatchery as the API keeps it. */
export function hatchery(row: Hatchery): object {
  return {
    id: row.id,
    name: row.name,
    model_type: row.modelType,
    config: row.config,
    last_heartbeat: time(row.lastHeartbeat),
    public_key: row.publicKey,
    http_url: row.url,
  }
}

function group({ id, name }: Group): object {
  return { id, name }
}
