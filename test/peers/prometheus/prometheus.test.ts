import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Monitoring } from '../../../src/hatchery/index.ts'
import { GateWorld } from '../../../src/hatchery/testing/gate-world.ts'
import { addressNetwork } from '../../../src/platform/index.ts'
import { prometheusMetrics, seededChance, serveHandler, type ServedHandler } from '../../../src/ports/index.ts'
import { startPrometheus, usePeer, type Prometheus } from '../peer.ts'

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const rules = here('../../../deploy/alerts/hatchery.yaml')
const never = new AbortController().signal

let served: ServedHandler
let monitoring: Monitoring
let prometheus: Prometheus

beforeAll(async () => {
  const networks = [addressNetwork({ name: 'guests', ranges: '10.0.0.0/28,10.0.1.0/30' })]
  const world = new GateWorld({ settings: { networks } })
  world.capacity = { cpuMHz: { limit: 20_000, unreserved: 12_000, used: 8000 }, memoryMB: { limit: 4096, unreserved: 512, used: 3072 } }
  world.vm({ name: 'worker-1', cpus: 4, memoryMB: 8192, note: { workerName: 'worker-1', vmwareModelPath: 'debian12' } })
  world.provision('provision-v2-x', 'debian12', { cpus: 2, memoryMB: 4096 })
  world.vm({ name: 'debian12', template: true, power: 'off', cpus: 2, memoryMB: 4096, note: { model: true, workerModelPath: 'g/deb' } })
  world.vm({ name: 'database', cpus: 24, memoryMB: 49_152 })
  await world.pool.refresh(never)
  const counts = { network: 'guests', total: 20, used: 19, active: 1, reserved: 0, quarantined: 0, free: 1 }
  const job = world.v2Job('1', { queued: world.clock.now() - 3_000_000 })
  const full = { gate: 'Capacity', reason: 'MaxWorkerReached', message: '10 workers of 10' } as const
  monitoring = new Monitoring({
    settings: world.settings,
    fleet: world.fleet,
    pool: world.pool,
    underWay: world.underWay,
    clock: world.clock,
    log: world.log,
    platform: { inventory: world.inventory, capacity: async () => world.capacity!, diskGB: async () => 20 },
    addresses: { counts: () => [counts] },
    jobs: () => [{ job, heardAt: 0, decidedAt: 0, refusal: full, writtenAt: 0, isStarting: false }],
    metrics: prometheusMetrics(),
    health: () => new Map(),
    chance: seededChance(1),
  })
  monitoring.start()
  await world.clock.advance(1_000)
  served = await serveHandler({ handler: monitoring.handler })
  prometheus = await startPrometheus({ target: `127.0.0.1:${served.port}`, path: '/mon/metrics', rules: [rules] })
})

afterAll(async () => {
  await prometheus?.stop()
  await served?.close()
  await monitoring?.stop()
})

test.each([
  ['active workers', 'cds_hatchery_vsphere_vm_count - cds_hatchery_vsphere_provisioned_vm_count', 1],
  ['the fraction of the datacenter’s VMs', 'cds_hatchery_vsphere_vm_count / cds_hatchery_vsphere_pool_total_vm_count', 0.5],
  ['the fraction of its vCPUs', 'cds_hatchery_vsphere_allocated_vcpus / cds_hatchery_vsphere_pool_total_vcpus', 6 / 32],
  [
    'vCPUs of others',
    'cds_hatchery_vsphere_pool_total_vcpus - cds_hatchery_vsphere_allocated_vcpus\n  - cds_hatchery_vsphere_template_vcpus',
    24,
  ],
  [
    'memory of the resource pool in use',
    'cds_hatchery_vsphere_resource_pool_memory_usage_bytes\n  / cds_hatchery_vsphere_resource_pool_memory_max_bytes * 100',
    75,
  ],
  [
    'the alert on that memory',
    'cds_hatchery_vsphere_resource_pool_memory_unreserved_bytes\n  / cds_hatchery_vsphere_resource_pool_memory_max_bytes < 0.2',
    0.125,
  ],
  ['addresses in use', 'cds_hatchery_vsphere_ip_used_count / cds_hatchery_vsphere_ip_total_count * 100', 95],
  ['addresses that are left', 'cds_hatchery_vsphere_ip_total_count - cds_hatchery_vsphere_ip_used_count', 1],
  ['the alert on addresses', 'cds_hatchery_vsphere_ip_used_count / cds_hatchery_vsphere_ip_total_count > 0.9', 0.95],
])('the specification’s query for %s has an answer', async (_what, query, expected) => {
  expect(await prometheus.query(query)).toBeCloseTo(expected, 10)
})

test('Prometheus understands every expression of the dashboard, and those of what there is have an answer', async () => {
  const { panels } = JSON.parse(readFileSync(here('../../../deploy/grafana/hatchery.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[]
  }
  const unanswered: string[] = []
  for (const { expr } of panels.flatMap(({ targets = [] }) => targets)) {
    const isOverTime = /\[\w+\]/.test(expr)
    if ((await prometheus.query(expr.replaceAll('$hatchery', '.*'))) === undefined && !isOverTime) unanswered.push(expr)
  }
  expect(unanswered).toEqual([])
})

test('every worker is a series of its own', async () => {
  expect(await prometheus.query('count(cds_hatchery_vsphere_worker_vcpus)')).toBe(2)
  expect(await prometheus.query('cds_hatchery_vsphere_worker_memory_mb{worker_name="worker-1",worker_model="debian12"}')).toBe(8192)
})

test('the alert rules are taken, and those that should are pending', async () => {
  await expect.poll(() => prometheus.alerts(), { timeout: 30_000 }).toContain('HatcheryAddressesLow')
  expect(await prometheus.alerts()).toEqual(expect.arrayContaining(['HatcheryResourcePoolMemoryLow', 'HatcheryJobsWait']))
  expect(await prometheus.alerts()).not.toContain('HatcheryAddressesGone')
})

test('promtool accepts the rules, and they do what they are to do', async () => {
  const promtool = join(dirname(await usePeer('prometheus')), 'promtool')
  expect((await run(promtool, ['check', 'rules', rules])).stdout).toContain('SUCCESS: 14 rules found')
  expect((await run(promtool, ['check', 'rules', here('../../../deploy/alerts/aviary.yaml')])).stdout).toContain('SUCCESS: 11 rules found')
  expect((await run(promtool, ['test', 'rules', here('rules.test.yaml')])).stdout).toContain('SUCCESS')
})
