import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { realChance, realClock, realFiles, realProcesses, silentLog } from '../../../src/ports/index.ts'
import { kubeAccess, kubeHttp, kubernetesStore } from '../../../src/store/index.ts'
import type { Store } from '../../../src/store/index.ts'

const program = fileURLToPath(new URL('../../../bin/aviary', import.meta.url))

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly stderr: string
}

/** The program in a process of its own. */
export interface AviaryProcess {
  /** The URL of its `ready` line; rejects if it ended before. */
  readonly ready: Promise<string>
  readonly ended: Promise<Ended>
  /** Sends a signal and waits for the end. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended>
  /** Stops it where it is, as a machine that is put to sleep would. */
  pause(): void
  /** Lets it go on as if nothing had been. */
  resume(): void
}

/** A folder for processes and the stores that talk to them; everything ends with it. */
export async function workshop() {
  const folder = await mkdtemp(join(tmpdir(), 'aviary-server-'))
  const stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  return {
    folder,
    start: async (name: string, toml: string): Promise<AviaryProcess> => {
      const config = join(folder, `${name}.toml`)
      await writeFile(config, toml)
      const started = startProcess(config)
      stack.defer(async () => void (await started.kill('SIGKILL')))
      return started
    },
    store: async (kubeconfig: string): Promise<Store> => {
      const { store, close } = await storeAt(kubeconfig)
      stack.defer(close)
      return store
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function startProcess(config: string): AviaryProcess {
  const child = spawn(process.execPath, [program, 'up', '--config', config], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<Ended>(resolve => child.once('close', code => resolve({ code, stderr })))
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      const [, url] = /^ready (.*)$/m.exec(stdout) ?? []
      if (url !== undefined) resolve(url)
    })
    void ended.then(end => reject(new Error(`ended with ${end.code}: ${end.stderr}`)))
  })
  ready.catch(() => undefined)
  const kill = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    return ended
  }
  return { ready, ended, kill, pause: () => void child.kill('SIGSTOP'), resume: () => void child.kill('SIGCONT') }
}

async function storeAt(kubeconfig: string) {
  const clock = realClock()
  const access = await kubeAccess({ file: kubeconfig, files: realFiles(), processes: realProcesses(clock), environment: {}, clock })
  const http = kubeHttp(access, { clock })
  const { server, credentials } = access
  const store = kubernetesStore({ http, server, credentials, clock, chance: realChance(), log: silentLog })
  const close = async () => {
    await store.close()
    await http.close()
  }
  return { store, close }
}
