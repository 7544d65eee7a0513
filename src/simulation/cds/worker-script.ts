/** What a hatchery writes into `CDS_CONFIG`, as far as a worker needs it. */
export interface WorkerConfig {
  readonly name: string
  readonly api_endpoint: string
  readonly api_token: string
  /** V1. */
  readonly booked_job_id?: number
  /** V2. */
  readonly run_job_id?: string
  readonly region?: string
}

/** The launch script as bash would see it. */
export interface WorkerScript {
  /** Undefined if bash could make nothing of the text. */
  readonly problem: string | undefined
  /** Where it gets the worker's program from; undefined if the template has it. */
  readonly download: string | undefined
  /** Whether it starts a worker at all. What builds a template starts none. */
  readonly startsWorker: boolean
  /** Whether the worker only shows what it can do. */
  readonly registers: boolean
  /** Whether the guest goes down at the end. */
  readonly shutsDown: boolean
}

/** Reads what was handed to `/bin/echo -n ;`. */
export function readScript(text: string): WorkerScript {
  return {
    problem: problemOf(text),
    download: /["'\s](https?:\/\/[^"'\s]+\/download\/worker\/[^"'\s]+)/.exec(text.replaceAll('$(uname -m)', 'x86_64'))?.[1],
    startsWorker: /\bworker\b[^\n]*1>\/tmp\/worker/.test(text),
    registers: /\bworker\b.* register 1>/.test(text),
    shutsDown: /\bshutdown\b/.test(text),
  }
}

function problemOf(text: string): string | undefined {
  if (text.includes('{{')) return 'a variable of the template was not filled in'
  // Whoever renders it as HTML breaks what bash gets to see.
  if (/&(?:#\d+|amp|lt|gt|quot);/.test(text)) return 'it was escaped as if it were HTML'
  return undefined
}

/** The worker's configuration out of its environment; undefined if there is none that can be read. */
export function readConfig(environment: Readonly<Record<string, string>>): WorkerConfig | undefined {
  const text = environment['CDS_CONFIG']
  if (text === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  try {
    const config = JSON.parse(Buffer.from(text, 'base64').toString()) as Partial<WorkerConfig>
    const { name, api_endpoint: api, api_token: token } = config
    if (typeof name !== 'string' || typeof api !== 'string' || typeof token !== 'string') return undefined
    return { ...config, name, api_endpoint: api, api_token: token }
  } catch {
    return undefined
  }
}
