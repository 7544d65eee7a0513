#!/usr/bin/env node
/*
 * An installer hook that makes real, if small, clusters on this machine: an etcd and a kube-apiserver each, on ports of their own.
 *
 *   [pools.installer]
 *   kind = "hook"
 *   command = ["docs/examples/control-plane-hook.mjs"]
 *   canHibernate = true
 *   environment = ["PATH", "HOME", "ETCD", "KUBE_APISERVER", "CLUSTERS"]
 *
 * ETCD and KUBE_APISERVER are the programs (default: those on the PATH), CLUSTERS is the folder in which clusters live. All that is made
 * for a cluster lies in CLUSTERS/INFRA_ID, so that whoever knows the mark can remove it.
 */
import { spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const { ETCD = 'etcd', KUBE_APISERVER = 'kube-apiserver', CLUSTERS = join(homedir(), '.local/share/example-clusters') } = process.env
const [, , verb] = process.argv
const asked = JSON.parse(readFileSync(0, 'utf8'))
const progress = text => console.log(`progress: ${text}`)

const verbs = { install, destroy, power }
if (verbs[verb] === undefined) {
  console.error(`usage: ${process.argv[1]} install|destroy|power`)
  // Trying again would not help.
  process.exit(78)
}
await verbs[verb](asked)

async function install({ infraID, prevInfraID, clusterName }) {
  if (prevInfraID !== undefined) await remove(prevInfraID)
  await remove(infraID)
  const folder = join(CLUSTERS, infraID)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const [api, client, peer] = await freePorts(3)
  const token = randomBytes(24).toString('hex')
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  write(folder, 'ports.json', JSON.stringify({ api, client, peer }))
  write(folder, 'tokens.csv', `${token},admin,1,"system:masters"\n`)
  write(folder, 'accounts.pub', publicKey)
  write(folder, 'accounts.key', privateKey)

  progress('etcd and kube-apiserver start')
  await start(folder)
  // The server has made itself a certificate; with it comes the authority that signed it.
  const authority = readFileSync(join(folder, 'certificates', 'apiserver.crt')).toString('base64')
  const apiURL = `https://127.0.0.1:${api}`
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: clusterName, cluster: { server: apiURL, 'certificate-authority-data': authority } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'admin', context: { cluster: clusterName, user: 'admin' } }],
    'current-context': 'admin',
  })
  console.log(JSON.stringify({ apiURL, kubeconfig }))
}

async function destroy({ infraID }) {
  await remove(infraID)
}

async function power({ infraID, wanted }) {
  const folder = join(CLUSTERS, infraID)
  if (wanted === 'Running') await start(folder)
  else await stop(folder)
}

async function remove(infraID) {
  // The name of a folder below CLUSTERS, and nothing else.
  if (!/^[a-z0-9][a-z0-9-]*$/.test(infraID)) throw new Error(`not the mark of a cluster: ${infraID}`)
  const folder = join(CLUSTERS, infraID)
  if (!existsSync(folder)) return
  await stop(folder)
  rmSync(folder, { recursive: true, force: true })
}

/** Starts what does not run yet, and waits until it answers. */
async function start(folder) {
  const { api, client, peer } = JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8'))
  const inside = name => join(folder, name)
  const peerUrl = `http://127.0.0.1:${peer}`
  const clientUrl = `http://127.0.0.1:${client}`
  run(folder, 'etcd', ETCD, {
    name: 'only',
    'data-dir': inside('data'),
    'log-level': 'warn',
    'listen-client-urls': clientUrl,
    'advertise-client-urls': clientUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `only=${peerUrl}`,
  })
  run(folder, 'kube-apiserver', KUBE_APISERVER, {
    'etcd-servers': clientUrl,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': api,
    'cert-dir': inside('certificates'),
    'endpoint-reconciler-type': 'none',
    'service-cluster-ip-range': '10.0.0.0/24',
    'token-auth-file': inside('tokens.csv'),
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': inside('accounts.pub'),
    'service-account-signing-key-file': inside('accounts.key'),
    'authorization-mode': 'RBAC',
    'disable-admission-plugins': 'ServiceAccount',
  })
  for (let second = 0; second < 180; second++) {
    if (await answers(api)) return
    if (!isRunning(folder, 'kube-apiserver') || !isRunning(folder, 'etcd')) break
    if (second % 10 === 9) progress(`waiting for the API to answer, ${second + 1} s`)
    await sleep(1_000)
  }
  console.error(readFileSync(inside('kube-apiserver.log'), 'utf8').slice(-4_000))
  throw new Error('the API does not answer')
}

/** Starts a program that goes on when this hook has ended, with what it says in a file. */
function run(folder, name, program, flags) {
  if (isRunning(folder, name)) return
  const log = openSync(join(folder, `${name}.log`), 'a', 0o600)
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
  const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], cwd: folder })
  closeSync(log)
  child.on('error', error => console.error(`${program}: ${error.message}`))
  if (child.pid !== undefined) write(folder, `${name}.pid`, String(child.pid))
  child.unref()
}

async function stop(folder) {
  // The server first: without its etcd it would take long to end.
  for (const name of ['kube-apiserver', 'etcd']) {
    for (let tries = 0; isRunning(folder, name); tries++) {
      process.kill(pidOf(folder, name), tries < 100 ? 'SIGTERM' : 'SIGKILL')
      await sleep(100)
    }
  }
}

/** Whether the process that was started is still there, and not another that has its number now. */
function isRunning(folder, name) {
  try {
    return readFileSync(`/proc/${pidOf(folder, name)}/cmdline`, 'utf8').includes(folder)
  } catch {
    return false
  }
}

function pidOf(folder, name) {
  return Number(readFileSync(join(folder, `${name}.pid`), 'utf8'))
}

function answers(port) {
  return new Promise(resolve => {
    // Only whether it answers: who it is, the kubeconfig says.
    const call = request({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, timeout: 2_000 }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(false))
    call.end()
  })
}

async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise(resolve => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
        }),
    ),
  )
  const ports = servers.map(server => server.address().port)
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  return ports
}

function write(folder, name, text) {
  writeFileSync(join(folder, name), text, { mode: 0o600 })
}
