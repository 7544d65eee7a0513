/** What a metric is, as `/mon/metrics/all` lists it. */
export interface CataloguedMetric {
  /** As Prometheus shows it. */
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** `vCPUs`, `MB`, `1` */
  readonly unit: string
  readonly type: 'gauge' | 'counter' | 'histogram'
}

/** Which hatchery. Every metric has these two. */
export const serviceLabels = ['service_name', 'service_type'] as const

/** Which VM, beside them. */
export const workerLabels = [...serviceLabels, 'worker_name', 'worker_model'] as const

/** Why a job waits, beside which hatchery: as `aviary why job/ID` says it. */
export const queueLabels = [...serviceLabels, 'gate', 'reason'] as const

const httpLabels = ['http_handler', 'http_method', 'http_status'] as const

/** Of each VM of the hatchery but templates: hatchery §13, level 1. */
export const workerGauges = {
  worker_vcpus: ['Number of vCPUs of a worker VM', 'vCPUs'],
  worker_memory_mb: ['Memory allocated to a worker VM', 'MB'],
  worker_disk_gb: ['Size of the first disk of a worker VM', 'GiB'],
} as const

/** Of the hatchery as a whole, and of everything in the datacenter: hatchery §13, levels 2 and 3. */
export const fleetGauges = {
  allocated_vcpus: ['Total vCPUs allocated by the VMs of this hatchery', 'vCPUs'],
  allocated_memory_mb: ['Total memory allocated by the VMs of this hatchery', 'MB'],
  allocated_disk_gb: ['Total size of the first disks of the VMs of this hatchery', 'GiB'],
  vm_count: ['Total number of VMs of this hatchery (workers and provisioned)', '1'],
  worker_vm_count: ['Number of worker VMs', '1'],
  provisioned_vm_count: ['Number of VMs that stand ready or are being made so', '1'],
  provision_wanted_count: ['VMs that are to stand ready, as configured', '1'],
  provision_ready_count: ['Provisioned VMs that can be claimed', '1'],
  provision_starting_count: ['Provisioned VMs that are not ready yet', '1'],
  provision_dying_count: ['Provisioned VMs that are about to be removed', '1'],
  provision_inflight_count: ['Provisioned VMs that were asked for and cannot be seen yet', '1'],
  dying_vm_count: ['VMs and templates of this hatchery that are to be removed and are still there', '1'],
  dying_oldest_seconds: ['How long the oldest of them is to be removed', 's'],
  template_vcpus: ['Total vCPUs defined by template VMs of this hatchery', 'vCPUs'],
  template_memory_mb: ['Total memory defined by template VMs of this hatchery', 'MB'],
  template_count: ['Number of template VMs of this hatchery', '1'],
  pool_total_vcpus: ['Total vCPUs across all VMs in the datacenter', 'vCPUs'],
  pool_total_memory_mb: ['Total memory across all VMs in the datacenter', 'MB'],
  pool_total_vm_count: ['Total number of VMs in the datacenter', '1'],
} as const

/** Of the resource pool, as vSphere says it. */
export const resourcePoolGauges = {
  resource_pool_cpu_max_mhz: ['Maximum CPU capacity of the resource pool', 'MHz'],
  resource_pool_cpu_usage_mhz: ['Current CPU usage of the resource pool', 'MHz'],
  resource_pool_cpu_unreserved_mhz: ['CPU of the resource pool that is unreserved for VMs', 'MHz'],
  resource_pool_memory_max_bytes: ['Maximum memory capacity of the resource pool', 'bytes'],
  resource_pool_memory_usage_bytes: ['Current memory usage of the resource pool', 'bytes'],
  resource_pool_memory_unreserved_bytes: ['Memory of the resource pool that is unreserved for VMs', 'bytes'],
} as const

/** Of the addresses for guests; only where there is a range. */
export const addressGauges = {
  ip_total_count: ['IP addresses of the ranges that a guest may have: without network, broadcast, gateway and DNS addresses', '1'],
  ip_used_count: ['Those of them in an annotation of a VM or in its guest, leased for a VM, or quarantined', '1'],
  ip_reserved_count: ['Those of them in an annotation of a VM', '1'],
  ip_active_count: ['Those of them that a guest reports', '1'],
} as const

/** Of the workers, by what CDS says of them. */
export const poolGauges = {
  pending_workers: ['Workers that are started and that CDS does not know yet', '1'],
  registering_workers: ['Workers that register a model and that CDS does not know yet', '1'],
  waiting_workers: ['Workers that wait for their job', '1'],
  checking_workers: ['Workers that check', '1'],
  building_workers: ['Workers that work on a job', '1'],
  disabled_workers: ['Workers that CDS has disabled', '1'],
} as const

/** Of the jobs that wait, by the gate and the reason that hold them back. */
export const queueGauges = {
  waiting_jobs: ['Jobs that wait for a worker', '1'],
  waiting_job_oldest_seconds: ['How long ago the oldest of them was queued', 's'],
} as const

/** What has happened since the hatchery was started. */
export const happenings = {
  jobs_count: 'Jobs that were heard of',
  jobs_websocket_count: 'Jobs that were heard of by web socket',
  jobs_processed_count: 'Jobs that were decided on',
  spawning_worker_count: 'Workers that were begun',
  spawned_worker_count: 'Workers that were started',
  spawning_worker_errors_count: 'Workers that could not be started',
  chan_v1_job_add_count: 'V1 jobs that were taken up for a decision',
  chan_v2_job_add_count: 'V2 jobs that were taken up for a decision',
  chan_worker_starter_job_pop: 'Jobs whose worker was begun to be started',
  job_received_in_queue_polling_ws_v1_count: 'V1 jobs that were announced by web socket',
  job_received_in_queue_polling_ws_v2_count: 'V2 jobs that were announced by web socket',
} as const

/** Of the hatchery's own HTTP server. */
export const httpMetrics = {
  cds_http_router_router_hits: { help: 'Requests', labels: serviceLabels, unit: '1', type: 'counter' },
  cds_http_router_router_errors: { help: 'Requests that were answered with an error', labels: serviceLabels, unit: '1', type: 'counter' },
  cds_http_server_request_count_by_handler: { help: 'Requests by route', labels: ['http_handler'], unit: '1', type: 'counter' },
  cds_http_server_request_bytes_by_handler: { help: 'Size of requests by route', labels: ['http_handler'], unit: 'By', type: 'histogram' },
  cds_http_server_response_bytes_by_handler: { help: 'Size of answers by route', labels: ['http_handler'], unit: 'By', type: 'histogram' },
  cds_http_server_latency_by_handler: {
    help: 'Milliseconds to the answer by route',
    labels: ['http_handler'],
    unit: 'ms',
    type: 'histogram',
  },
  cds_http_server_request_count_by_method_and_handler: {
    help: 'Requests by method and route',
    labels: ['http_handler', 'http_method'],
    unit: '1',
    type: 'counter',
  },
  cds_http_server_response_count_by_status_code_and_handler: {
    help: 'Answers by status and route',
    labels: httpLabels.filter(name => name !== 'http_method'),
    unit: '1',
    type: 'counter',
  },
} as const

/** The whole name of a metric about vSphere. */
export function vsphereMetric(name: string): string {
  return `cds_hatchery_vsphere_${name}`
}

/** The whole name of a metric that all hatcheries of CDS have. */
export function hatcheryMetric(name: string): string {
  return `cds_hatchery_${name}`
}

/** Every metric there is. */
export function metricCatalogue(): readonly CataloguedMetric[] {
  const gauges = (table: Readonly<Record<string, readonly [string, string]>>, whole: (name: string) => string, labels: readonly string[]) =>
    Object.entries(table).map(([name, [help, unit]]) => ({ name: whole(name), help, labels, unit, type: 'gauge' as const }))
  return [
    ...gauges(workerGauges, vsphereMetric, workerLabels),
    ...gauges(fleetGauges, vsphereMetric, serviceLabels),
    ...gauges(resourcePoolGauges, vsphereMetric, serviceLabels),
    ...gauges(addressGauges, vsphereMetric, serviceLabels),
    ...gauges(poolGauges, hatcheryMetric, serviceLabels),
    ...gauges(queueGauges, hatcheryMetric, queueLabels),
    ...Object.entries(happenings).map(([name, help]) => ({
      name: hatcheryMetric(name),
      help,
      labels: serviceLabels,
      unit: '1',
      type: 'counter' as const,
    })),
    ...Object.entries(httpMetrics).map(([name, about]) => ({ name, ...about })),
  ]
}
