import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { prometheusMetrics, seededChance, simulatedHttp, type ServedRequest } from '../../ports/index.ts'
import type { WaitingJob } from '../dispatch/waiting-job.ts'
import { GateWorld, type GateWorldOptions } from '../testing/gate-world.ts'
import { Monitoring } from './monitoring.ts'

const never = new AbortController().signal

function monitored(options: GateWorldOptions = {}) {
  const world = new GateWorld(options)
  const health = new Map([
    ['mainRoutine', true],
    ['queuePolling', true],
  ])
  const waiting: WaitingJob[] = []
  const monitoring = new Monitoring({
    settings: world.settings,
    fleet: world.fleet,
    pool: world.pool,
    underWay: world.underWay,
    clock: world.clock,
    log: world.log,
    platform: {
      inventory: world.inventory,
      capacity: async () => {
        if (world.capacity === undefined) throw new Error('no permission')
        return world.capacity
      },
      diskGB: async () => undefined,
    },
    addresses: { counts: () => [] },
    jobs: () => waiting,
    metrics: prometheusMetrics(),
    health: () => health,
    chance: seededChance(1),
    version: '0.57.0',
    hostname: 'here',
  })
  const http = simulatedHttp(monitoring.handler, { clock: world.clock })
  const get = (path: string, headers: Record<string, string> = {}) => http.send({ method: 'GET', url: `http://hatchery${path}`, headers })
  const json = async (path: string) => JSON.parse((await get(path)).text())
  return { world, health, waiting, monitoring, http, get, json }
}

/** The line of a component. */
function line(monitoring: Monitoring, component: string) {
  return monitoring.status().find(each => each.component === component)
}

describe('the status', () => {
  test('has version, uptime, time, every loop, workers and VMs', async () => {
    const { world, monitoring } = monitored()
    world.vm({ name: 'worker-1', note: { workerName: 'worker-1' } })
    world.vm({ name: 'database' })
    await world.pool.refresh(never)
    monitoring.start()
    await world.clock.advance(3_725_000)
    await world.pool.refresh(never)
    expect(monitoring.status()).toEqual([
      { status: 'OK', component: 'Version', value: '0.57.0' },
      { status: 'OK', component: 'Uptime', value: '1h2m5s' },
      { status: 'OK', component: 'Time', value: '2023-11-14T23:15:25Z' },
      { status: 'OK', component: 'goroutine/mainRoutine', value: 'Running' },
      { status: 'OK', component: 'goroutine/queuePolling', value: 'Running' },
      { status: 'OK', component: 'goroutine/hatchery-vsphere-metrics', value: 'Running' },
      { status: 'OK', component: 'Workers', value: '1/10' },
      { status: 'OK', component: 'VirtualMachines', value: '2' },
    ])
    await monitoring.stop()
  })

  test('says N/unlimited if there is no limit', async () => {
    const { world, monitoring } = monitored({ provision: { maxWorker: 0 } })
    world.vm({ name: 'worker-1', note: { workerName: 'worker-1' } })
    await world.pool.refresh(never)
    expect(line(monitoring, 'Workers')).toEqual({ status: 'OK', component: 'Workers', value: '1/unlimited' })
  })

  test('a loop that stands still is an alarm', () => {
    const { health, monitoring } = monitored()
    health.set('queuePolling', false)
    expect(line(monitoring, 'goroutine/queuePolling')).toEqual({ status: 'AL', component: 'goroutine/queuePolling', value: 'NOT running' })
  })

  test('an inventory that is not known is an alarm, and not a number', async () => {
    const { world, monitoring } = monitored()
    await world.pool.refresh(never)
    world.inventory.lost('the vCenter does not answer')
    expect(line(monitoring, 'VirtualMachines')).toEqual({ status: 'AL', component: 'VirtualMachines', value: 'Error listing' })
    expect(line(monitoring, 'Workers')).toEqual({ status: 'AL', component: 'Workers', value: 'unknown/10' })
  })

  test('workers that CDS could not be asked for are those whose VMs are there', () => {
    const { world, monitoring } = monitored()
    world.vm({ name: 'worker-1', note: { workerName: 'worker-1' } })
    expect(line(monitoring, 'Workers')).toEqual({ status: 'WARN', component: 'Workers', value: '1/10' })
  })

  test('costs nothing of the platform or CDS', async () => {
    const { world, monitoring } = monitored()
    await world.pool.refresh(never)
    world.calls.length = 0
    for (let count = 0; count < 100; count++) monitoring.status()
    expect(world.calls).toEqual([])
  })
})

describe('the pages', () => {
  test('/mon/version', async () => {
    const { json } = monitored()
    expect(await json('/mon/version')).toMatchObject({
      version: '0.57.0',
      os: expect.any(String),
      architecture: expect.any(String),
      git_hash: '',
    })
  })

  test('/mon/status is 200, and 503 as soon as one line is an alarm', async () => {
    const { world, health, get, json } = monitored()
    health.delete('queuePolling')
    const ready = monitored()
    await ready.world.pool.refresh(never)
    ready.monitoring.start()
    expect((await ready.get('/mon/status')).status).toBe(200)
    await ready.monitoring.stop()
    world.inventory.lost('away')
    expect((await get('/mon/status')).status).toBe(503)
    expect((await json('/mon/status')).lines.at(-1)).toEqual({
      status: 'AL',
      component: 'VirtualMachines',
      value: 'Error listing',
      type: 'hatchery',
      service: 'aviary',
      hostname: 'here',
    })
  })

  test('/mon/workers has those that CDS knows as it tells them, and the others by name and status', async () => {
    const { world, json } = monitored()
    const raw = { id: '7', name: 'worker-1', status: 'Building', job_run_id: 5 }
    world.workers.push({ version: 1, id: '7', name: 'worker-1', status: 'Building', jobId: '5', modelName: 'deb', raw })
    world.vm({ name: 'worker-1', note: { workerName: 'worker-1' } })
    world.vm({ name: 'worker-2', note: { workerName: 'worker-2' } })
    world.vm({ name: 'register-x', note: { workerName: 'register-x', registerOnly: true } })
    expect(await json('/mon/workers')).toEqual([
      raw,
      { name: 'worker-2', status: 'Pending' },
      { name: 'register-x', status: 'Registering' },
    ])
  })

  test('/mon/workers says that it does not know, if CDS does not answer', async () => {
    const { world, get } = monitored()
    world.failing.add('v1.workers')
    const { status, text } = await get('/mon/workers')
    expect([status, JSON.parse(text()).id]).toEqual([503, 1])
  })

  test('/mon/metrics/all lists every metric by the name of the original', async () => {
    const { json } = monitored()
    const all: { name: string }[] = await json('/mon/metrics/all')
    expect(all.find(({ name }) => name === 'cds/hatchery/vsphere/worker_vcpus')).toEqual({
      name: 'cds/hatchery/vsphere/worker_vcpus',
      description: 'Number of vCPUs of a worker VM',
      tags: ['service_name', 'service_type', 'worker_name', 'worker_model'],
      dimension: 'vCPUs',
      aggregagtion: 'LastValue',
    })
    expect(all.some(({ name }) => name === 'cds/hatchery/spawned_worker_count')).toBe(true)
  })

  test('other paths and methods are answered as CDS does', async () => {
    const { get, http } = monitored()
    expect(JSON.parse((await get('/mon/nothing')).text())).toMatchObject({
      id: 38,
      message: 'resource not found',
      request_id: expect.any(String),
    })
    expect((await http.send({ method: 'POST', url: 'http://hatchery/mon/status' })).status).toBe(404)
  })

  test('carry the headers of the original, and are packed for those who ask, but not for Prometheus', async () => {
    const { monitoring, get } = monitored()
    const id = '0c2b4bb3-2e0f-4d0a-9d3e-4f0f2f7b9a11'
    expect((await get('/mon/version', { 'request-id': id })).headers).toMatchObject({
      'access-control-allow-origin': '*',
      'request-id': id,
      'x-api-time': '2023-11-14T22:13:20.000000Z',
      'x-api-nanoseconds-time': '1700000000000000000',
      etag: expect.stringMatching(/^".+"$/),
    })
    expect((await get('/mon/version', { 'request-id': 'x' })).headers['request-id']).not.toBe('x')
    const asked = (agent: string): ServedRequest => ({
      method: 'GET',
      url: new URL('http://hatchery/mon/version'),
      headers: { 'accept-encoding': 'gzip, deflate', 'user-agent': agent },
      body: new Uint8Array(),
      text: () => '',
      signal: never,
    })
    const packed = await monitoring.handler(asked('curl/8'))
    expect(packed.headers?.['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(packed.body as Uint8Array).toString())).toMatchObject({ version: '0.57.0' })
    const scraped = await monitoring.handler(asked('Prometheus/2.45'))
    expect(scraped.headers?.['content-encoding']).toBeUndefined()
  })

  test('hold no secret', async () => {
    const { world, get } = monitored()
    const { vsphere, api } = world.settings
    const secrets = [vsphere.password, api.tokenV1!, api.tokenV2!].map(secret => secret.reveal())
    for (const path of ['version', 'status', 'workers', 'metrics', 'metrics/all', 'nothing']) {
      const { headers, text } = await get(`/mon/${path}`)
      for (const secret of secrets) expect(JSON.stringify(headers) + text()).not.toContain(secret)
    }
  })

  test('are counted themselves', async () => {
    const { get } = monitored()
    await get('/mon/version')
    await get('/nothing')
    const text = (await get('/mon/metrics')).text()
    expect(text).toContain('cds_http_router_router_hits{service_name="aviary",service_type="hatchery"} 2')
    expect(text).toContain('cds_http_router_router_errors{service_name="aviary",service_type="hatchery"} 1')
    expect(text).toContain('cds_http_server_response_count_by_status_code_and_handler{http_handler="/mon/version",http_status="200"} 1')
  })
})

describe('the metrics', () => {
  test('are told as soon as the inventory is known, and every 30 s from then on', async () => {
    const { world, monitoring, get } = monitored()
    world.inventory.lost('starting')
    monitoring.start()
    await world.clock.advance(5_000)
    expect((await get('/mon/metrics')).text()).not.toContain('cds_hatchery_vsphere_vm_count{')
    world.inventory.replace([])
    await world.clock.advance(1_000)
    expect((await get('/mon/metrics')).text()).toContain('cds_hatchery_vsphere_vm_count{service_name="aviary",service_type="hatchery"} 0')
    world.vm({ name: 'worker-1', note: { workerName: 'worker-1' } })
    await world.clock.advance(29_000)
    await world.clock.advance(2_000)
    expect((await get('/mon/metrics')).text()).toContain('cds_hatchery_vsphere_vm_count{service_name="aviary",service_type="hatchery"} 1')
    await monitoring.stop()
  })

  test('tell of jobs that wait also while the inventory is not known, which is why they do', async () => {
    const refusal = { gate: 'Inventory', reason: 'InventoryNotLive', message: 'the vCenter does not answer' } as const
    const { world, monitoring, waiting, get } = monitored()
    waiting.push({ job: world.v2Job('1'), heardAt: 0, decidedAt: 0, refusal, writtenAt: 0, isStarting: false })
    world.inventory.lost('the vCenter does not answer')
    monitoring.start()
    await world.clock.advance(1_000)
    expect((await get('/mon/metrics')).text()).toContain(
      'cds_hatchery_waiting_jobs{service_name="aviary",service_type="hatchery",gate="Inventory",reason="InventoryNotLive"} 1',
    )
    await monitoring.stop()
  })

  test('count what happens, from 0 on', async () => {
    const { monitoring, get } = monitored()
    monitoring.counters.count('jobs_count', 3)
    const text = (await get('/mon/metrics')).text()
    expect(text).toContain('cds_hatchery_jobs_count{service_name="aviary",service_type="hatchery"} 3')
    expect(text).toContain('cds_hatchery_spawning_worker_errors_count{service_name="aviary",service_type="hatchery"} 0')
  })
})
