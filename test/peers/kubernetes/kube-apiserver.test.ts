import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startKubeApiserver, usePeer, type KubeApiserver } from '../peer.ts'

let program: string
let server: KubeApiserver

beforeAll(async () => {
  program = await usePeer('kubectl')
  server = await startKubeApiserver({ audit: true })
})
afterAll(() => server.stop())

const kubectl = (kubeconfig: string, ...args: string[]) => spawnSync(program, ['--kubeconfig', kubeconfig, ...args], { encoding: 'utf8' })

test('kubectl speaks to it, and it says which version it is', () => {
  const { stdout } = kubectl(server.kubeconfig, 'version', '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject({ serverVersion: { gitVersion: 'v1.35.4', major: '1', minor: '35' } })
  expect(kubectl(server.kubeconfig, 'create', 'namespace', 'wren').status).toBe(0)
})

test('the restricted user may do nothing', () => {
  const { status, stderr } = kubectl(server.userKubeconfig, 'get', 'namespaces')
  expect(status).toBe(1)
  expect(stderr).toContain('User "token-user" cannot list resource "namespaces"')
})

test('the tokens work as well', () => {
  const { stdout } = kubectl(server.userKubeconfig, 'auth', 'whoami', '--token', server.adminToken, '-o', 'json')
  expect(JSON.parse(stdout).status.userInfo.groups).toContain('system:masters')
})

test('the audit log is written when asked for', () => {
  expect(readFileSync(server.auditLog, 'utf8')).toContain('"name":"wren"')
})

test('nothing is left of one that was stopped', async () => {
  const short = await startKubeApiserver()
  await short.stop()
  expect(existsSync(short.kubeconfig)).toBe(false)
  expect(() => process.kill(short.pids.kubeApiserver, 0)).toThrow('ESRCH')
  expect(() => process.kill(short.pids.etcd, 0)).toThrow('ESRCH')
})
