import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePorts } from '../free-ports.ts'
import { keep, untilReady } from '../keep.ts'
import { usePeer, type Workbench } from '../set-up.ts'
import { librariesOf, unpackDebian } from './debian.ts'

const installed = '/usr/bin/redis-server'

/** Takes the machine's own Redis if it has one, else the one of its Debian. */
export async function build(bench: Workbench): Promise<void> {
  mkdirSync(join(bench.into, 'bin'))
  const program = join(bench.into, 'bin', 'redis-server')
  if (existsSync(installed)) return symlinkSync(installed, program)
  await unpackDebian(bench, ['redis-server', 'redis-tools'])
  symlinkSync('../usr/bin/redis-server', program)
}

/** A running Redis that keeps nothing. */
export interface Redis {
  readonly port: number
  stop(): Promise<void>
}

/** Starts Redis on a free port of the loopback. */
export async function startRedis(): Promise<Redis> {
  const program = await usePeer('redis')
  const [port = 0] = await freePorts(1)
  const redis = await keep('redis', folder => ({
    command: program,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
    env: librariesOf(dirname(dirname(program))),
  }))
  await untilReady(redis, async () => redis.output().includes('Ready to accept connections'))
  return { port, stop: () => redis.stop() }
}
