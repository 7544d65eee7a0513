import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { realClock, realProcesses, Secret, simulatedHttp, VirtualClock } from '../../ports/index.ts'
import type { HttpClient, Processes } from '../../ports/index.ts'
import { commandHook } from './command-hook.ts'
import { httpHook } from './http-hook.ts'
import type { Installer, InstallRequest, InstallState } from './installer.ts'

const request = (startedAt: number): InstallRequest => ({
  key: 'a-12345/a-12345',
  clusterName: 'a',
  baseDomain: 'example.com',
  infraID: 'a-xyz12',
  clusterID: 'id',
  platform: 'vsphere',
  credentials: { password: new Secret('hidden') },
  provision: `a-12345-0-${startedAt}`,
  attempt: 0,
  startedAt,
  installConfig: new Secret('metadata: {name: a}\n'),
  pullSecret: undefined,
  releaseImage: 'image:1',
  prevInfraID: undefined,
  manifestPatches: [],
  environment: { COLOUR: new Secret('green') },
})
const signal = new AbortController().signal

describe('a command', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aviary-hook-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const clock = realClock()
  async function hook(script: string, timeout = 20_000, canHibernate = false): Promise<Installer> {
    const file = join(folder, `hook-${clock.monotonic()}.sh`)
    await writeFile(file, `#!/bin/sh\n${script}`)
    await chmod(file, 0o755)
    return commandHook({
      command: [file],
      processes: realProcesses(clock),
      clock,
      timeout,
      canHibernate,
      environment: { PATH: process.env['PATH'] ?? '' },
    })
  }
  /** Asks until the answer is not that it is under way: whenever the hook says that it is worth asking. */
  async function last<T extends { readonly state: string }>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      const { promise: changed, resolve } = Promise.withResolvers<void>()
      listener = resolve
      const state = await ask()
      if (!['installing', 'removing', 'changing'].includes(state.state)) return state
      await changed
    }
  }
  let listener = () => {}
  async function through(installer: Installer): Promise<InstallState> {
    installer.onChange(() => listener())
    const asked = request(clock.now())
    expect(await installer.install(asked, signal)).toMatchObject({ state: 'installing' })
    return last(() => installer.install(asked, signal))
  }

  test('gets everything it needs, and its last line is the result', async () => {
    const installer = await hook(
      `cat > "$0".json\necho "progress: $1 $CLUSTER_NAME.$BASE_DOMAIN $INFRA_ID $COLOUR"\necho '{"apiURL":"https://x","kubeconfig":"config","password":"p"}'`,
    )
    const state = await through(installer)
    expect(state).toMatchObject({ state: 'installed', apiURL: 'https://x' })
    expect(state.state === 'installed' && state.kubeconfig.reveal()).toBe('config')
    // What it printed stays with the attempt, but for the result.
    expect(state).toMatchObject({ log: 'progress: install a.example.com a-xyz12 green' })
  })

  test.each([
    ['after blanks', `  {"apiURL":"https://x","kubeconfig":"hidden"}`],
    ['with a key in other letters', `{"apiURL":"https://x","kube\\\\u0063onfig":"hidden"}`],
  ])('keeps the result out of the log, also one that is written %s', async (_, line) => {
    const state = await through(await hook(`cat > /dev/null\necho begun\nprintf '%b\\n' '${line}'`))
    expect(state).toMatchObject({ state: 'installed', log: 'begun' })
    expect(state.state === 'installed' && state.kubeconfig.reveal()).toBe('hidden')
  })

  test('that fails is a failed attempt with its log, in which no line speaks of passwords', async () => {
    const state = await through(await hook('cat > /dev/null\necho "the disk is full"\necho "password=secret" >&2\nexit 3'))
    expect(state).toMatchObject({
      state: 'failed',
      reason: 'HookFailed',
      retryable: true,
      log: expect.stringContaining('the disk is full'),
    })
    expect(JSON.stringify(state)).not.toContain('secret')
  })

  test('can say that another attempt is hopeless', async () => {
    expect(await through(await hook('cat > /dev/null\nexit 78'))).toMatchObject({ state: 'failed', retryable: false })
  })

  test('that prints no result is a failed attempt', async () => {
    expect(await through(await hook('cat > /dev/null\necho done'))).toMatchObject({ state: 'failed', reason: 'HookAnswerNotValid' })
  })

  test('that takes too long is ended', async () => {
    expect(await through(await hook('exec sleep 60', 200))).toMatchObject({ state: 'failed', reason: 'AttemptDeadlineExceeded' })
  })

  test('that a signal ended says by which; JSON that is no result is a part of the log', async () => {
    const state = await through(await hook(`cat > /dev/null\necho '{"level":"fatal","msg":"no room"}'\nkill -9 $$`))
    expect(state).toMatchObject({
      message: 'the hook was ended by SIGKILL: {"level":"fatal","msg":"no room"}',
      log: '{"level":"fatal","msg":"no room"}',
    })
  })

  test('an attempt from before this program was at work is lost, not begun twice', async () => {
    const installer = await hook('exit 0')
    installer.onChange(() => {})
    expect(await installer.install(request(clock.now() - 2_000), signal)).toMatchObject({
      state: 'failed',
      reason: 'AttemptLost',
      retryable: true,
    })
  })

  test('is ended when nobody listens any more, and nothing is begun then', async () => {
    const installer = await hook('cat > /dev/null\n[ "$1" = install ] && exec sleep 60\necho removed >> "$0.removed"; cat "$0.removed"')
    const stop = installer.onChange(() => {})
    const asked = request(clock.now())
    expect(await installer.install(asked, signal)).toMatchObject({ state: 'installing' })
    stop()
    await expect
      .poll(() => installer.install(asked, signal))
      .toMatchObject({ state: 'failed', message: 'the program stops, or another leads now' })
    const other = { ...asked, key: 'b/b', infraID: 'b' }
    expect(await installer.destroy(other, signal)).toMatchObject({ state: 'removing' })
    installer.onChange(() => listener())
    expect(await last(() => installer.destroy(other, signal))).toEqual({ state: 'removed', log: 'removed' })
  })

  test('removes a cluster, with the same environment', async () => {
    const installer = await hook('cat > /dev/null\necho gone\n[ "$1 $COLOUR" = "destroy green" ]')
    installer.onChange(() => listener())
    expect(await last(() => installer.destroy(request(clock.now()), signal))).toEqual({ state: 'removed', log: 'gone' })
  })

  test('that cannot remove a cluster says why', async () => {
    const installer = await hook('cat > /dev/null\necho "no such vCenter"\nexit 1')
    installer.onChange(() => listener())
    expect(await last(() => installer.destroy(request(clock.now()), signal))).toEqual({
      state: 'failed',
      message: 'the hook ended with code 1: no such vCenter',
      log: 'no such vCenter',
    })
  })

  test('is not asked to remove a cluster before the installation has ended, and other clusters’ installations go on', async () => {
    // Who installs takes a moment to end; who removes then finds what it has made.
    const installer = await hook(
      `cat > /dev/null
      case $1 in
        install) trap 'sleep 0.3; echo made > "$0.$INFRA_ID"; exit 1' TERM; echo > "$0.$INFRA_ID.begun"; while :; do sleep 0.1; done;;
        destroy) echo "$(cat "$0.$INFRA_ID")"; rm "$0.$INFRA_ID";;
      esac`,
    )
    installer.onChange(() => listener())
    const asked = request(clock.now())
    // Names that begin alike, and the same name elsewhere.
    const others = ['a-12345/a-12345-6', 'b/a-12345'].map(key => ({ ...asked, key, infraID: key.replace('/', '-') }))
    for (const each of [asked, ...others]) await installer.install({ ...each, provision: `${each.key.split('/')[1]}-0-x` }, signal)
    await expect.poll(async () => (await readdir(folder)).filter(name => name.endsWith('.begun')).length).toBe(3)
    expect(await last(() => installer.destroy(asked, signal))).toEqual({ state: 'removed', log: 'made' })
    for (const each of others)
      expect(await installer.install({ ...each, provision: `${each.key.split('/')[1]}-0-x` }, signal)).toMatchObject({
        state: 'installing',
      })
    for (const each of others) await last(() => installer.destroy(each, signal))
  })

  test('is not asked to start a cluster while it stops it', async () => {
    const installer = await hook(`cat > "$0.json"\ngrep -q Hibernating "$0.json" && sleep 0.3\necho "$1" >> "$0.order"`, 20_000, true)
    installer.onChange(() => listener())
    const asked = request(clock.now())
    const power = (wanted: 'Running' | 'Hibernating') => installer.power({ ...asked, wanted, since: 0 }, signal)
    expect(await power('Hibernating')).toMatchObject({ state: 'changing' })
    expect(await power('Running')).toMatchObject({ state: 'changing', message: 'the change before is still under way' })
    expect(await last(() => power('Running'))).toEqual({ state: 'Running' })
  })
})

test('a command that prints without end costs no more than the end of it', async () => {
  const clock = new VirtualClock()
  const processes: Processes = {
    run: async ({ onLine }) => {
      for (let line = 0; line < 10_000; line++) onLine?.(`${line}`.padEnd(100, '.'), 'stdout')
      onLine?.('last', 'stdout')
      return { code: 1, signal: undefined, stdout: '', stderr: '' }
    },
  }
  const installer = commandHook({ command: ['hook'], processes, clock, timeout: 60_000, canHibernate: false, environment: {} })
  await installer.install(request(clock.now()), signal)
  await clock.advance(1)
  const { log = '' } = (await installer.install(request(clock.now() - 1), signal)) as InstallState & { readonly state: 'failed' }
  expect([log.length, log.slice(-5)]).toEqual([256 * 1024, '\nlast'])
})

test('what came of an attempt is kept for an hour after somebody was last told, and it is never begun again', async () => {
  const clock = new VirtualClock()
  let begun = 0
  const processes: Processes = {
    run: async () => {
      begun++
      return { code: 0, signal: undefined, stdout: '{"apiURL":"https://x","kubeconfig":"config"}', stderr: '' }
    },
  }
  const installer = commandHook({ command: ['hook'], processes, clock, timeout: 60_000, canHibernate: false, environment: {} })
  const first = request(clock.now())
  const ask = () => installer.install(first, signal)
  const beginAnother = () => installer.install({ ...request(clock.now()), key: `b/${clock.now()}` }, signal)
  await ask()
  await clock.advance(3_500_000)
  expect(await ask()).toMatchObject({ state: 'installed' })
  await clock.advance(3_500_000)
  await beginAnother()
  expect(await ask()).toMatchObject({ state: 'installed' })
  await clock.advance(3_700_000)
  await beginAnother()
  expect([await ask(), begun]).toMatchObject([{ reason: 'AttemptLost' }, 3])
})

describe('an endpoint', () => {
  const start = new VirtualClock().now()
  function hook(answer: (path: string, body: Record<string, unknown>) => { readonly status?: number; readonly body: unknown }) {
    const clock = new VirtualClock()
    const asked: { path: string; body: Record<string, unknown>; authorization: string | undefined }[] = []
    const http = simulatedHttp(
      async served => {
        const body = JSON.parse(new TextDecoder().decode(served.body)) as Record<string, unknown>
        const path = new URL(served.url).pathname
        asked.push({ path, body, authorization: served.headers['authorization'] })
        const { status = 200, body: said } = answer(path, body)
        return { status, headers: {}, body: JSON.stringify(said) }
      },
      { clock },
    )
    const connect = vi.fn<() => Promise<HttpClient>>(async () => http)
    return {
      installer: httpHook({ url: 'https://hook.example.com/v1', connect, token: new Secret('sesame'), clock, timeout: 60_000 }),
      asked,
      connect,
      clock,
    }
  }

  test('is asked until it is through', async () => {
    let count = 0
    const { installer, asked } = hook(() => ({
      body: count++ === 0 ? { state: 'installing', message: 'half' } : { state: 'installed', apiURL: 'https://x', kubeconfig: 'c' },
    }))
    expect(await installer.install(request(start), signal)).toMatchObject({
      state: 'installing',
      message: 'half',
      again: expect.any(Number),
    })
    expect(await installer.install(request(start), signal)).toMatchObject({ state: 'installed', apiURL: 'https://x' })
    expect(asked[0]).toMatchObject({
      path: '/v1/install',
      body: { infraID: 'a-xyz12', installConfig: 'metadata: {name: a}\n', credentials: { password: 'hidden' } },
    })
  })

  test('that answers nonsense or an error is tried again, and nothing is taken for done', async () => {
    await expect(hook(() => ({ body: { state: 'installed' } })).installer.install(request(start), signal)).rejects.toThrow('cannot be used')
    await expect(hook(() => ({ status: 500, body: {} })).installer.destroy(request(start), signal)).rejects.toThrow('status 500')
  })

  test.each([
    ['says for too long that it installs', { body: { state: 'installing', message: 'half' } }, 'at last: half'],
    ['is away for too long', { status: 503, body: {} }, 'it answered with status 503'],
  ])('that %s has a failed attempt', async (_, answer, why) => {
    const { installer, clock } = hook(() => answer)
    const soon = await installer.install(request(start), signal).catch((error: unknown) => error)
    expect(soon).not.toMatchObject({ state: 'failed' })
    await clock.advance(60_000)
    expect(await installer.install(request(start), signal)).toMatchObject({
      state: 'failed',
      reason: 'AttemptDeadlineExceeded',
      message: expect.stringMatching(`^the installation took longer than 1m; .*${why}`),
      retryable: true,
    })
  })

  test('has its log kept, without passwords, and as much of a message as anybody reads', async () => {
    const log = 'one\npassword=two'
    const installed = hook(() => ({ body: { apiURL: 'https://x', kubeconfig: 'c', log } }))
    expect(await installed.installer.install(request(start), signal)).toMatchObject({ log: 'one\nREDACTED LINE OF OUTPUT' })
    const failed = hook(() => ({ body: { state: 'failed', message: 'x'.repeat(50_000) } }))
    expect(await failed.installer.install(request(start), signal)).toMatchObject({ message: 'x'.repeat(1_000) })
  })

  test('is told who asks, and a refusal says what to look at without the token', async () => {
    const { installer, asked } = hook(() => ({ status: 401, body: {} }))
    const refused = installer.install(request(start), signal)
    await expect(refused).rejects.toThrow('pools.installer.token is not what it wants')
    await expect(refused).rejects.not.toThrow('sesame')
    expect(asked[0]?.authorization).toBe('Bearer sesame')
  })

  test('whose certificate authority cannot be read is tried again', async () => {
    const { installer, connect } = hook(() => ({ body: { state: 'removed' } }))
    connect.mockRejectedValueOnce(new Error('no such file'))
    await expect(installer.destroy(request(start), signal)).rejects.toThrow('no such file')
    expect(await installer.destroy(request(start), signal)).toEqual({ state: 'removed' })
    expect(connect).toHaveBeenCalledTimes(2)
  })

  test('that does not know power has clusters that always run', async () => {
    const { installer } = hook(() => ({ status: 404, body: {} }))
    expect(await installer.power({ ...request(start), wanted: 'Hibernating', since: 0 }, signal)).toEqual({ state: 'unsupported' })
  })
})
