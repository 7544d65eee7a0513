/**
 * watching-child URL USER PASSWORD THUMBPRINT: a live inventory of all VMs, as one line of JSON: milliseconds from somebody's change
 * of a VM until the inventory shows it, and bytes of heap for each VM.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../frame/median.ts'
import { httpClient, realChance, realClock, Secret, silentLog } from '../../src/ports/index.ts'
import { VsphereConnection } from '../../src/vsphere/index.ts'

const [url = '', user = '', password = '', thumbprint = ''] = process.argv.slice(2)
const [clock, chance, log] = [realClock(), realChance(), silentLog]
const never = new AbortController().signal

/** The heap that is in use once everything is gone that can go. */
async function heap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await sleep(50)
  }
  return process.memoryUsage().heapUsed
}

async function connected() {
  const http = httpClient({ clock, trust: { thumbprint } })
  const connection = new VsphereConnection({ settings: { url, user, password: new Secret(password) }, http, clock, chance, log }).start()
  await connection.live(never)
  const close = async () => {
    await connection.close()
    await http.close()
  }
  return { connection, close }
}

/** What an inventory holds beyond what the program itself does: the first one also loads and compiles. */
async function memory(): Promise<number> {
  await (await connected()).close()
  const before = await heap()
  const { connection, close } = await connected()
  const bytes = (await heap()) - before
  const { size } = connection.inventory
  await close()
  return bytes / size
}

async function latency() {
  const [mine, other] = [await connected(), await connected()]
  const { inventory } = mine.connection
  const [vm] = inventory.all()
  const times: number[] = []
  for (let round = 0; round < 60; round++) {
    const annotation = `change ${round}`
    await sleep(30 + ((round * 7) % 40))
    const began = performance.now()
    const seen = new Promise<void>(resolve => {
      const forget = inventory.onChange(({ now }) => {
        if (now?.id !== vm!.id || now.annotation !== annotation) return
        forget()
        resolve()
      })
    })
    await other.connection.session.call('ReconfigVM_Task', { type: 'VirtualMachine', id: vm!.id }, { spec: { annotation } })
    await seen
    times.push(performance.now() - began)
  }
  await Promise.all([mine.close(), other.close()])
  const sorted = times.toSorted((one, two) => one - two)
  return { median: median(times), p90: sorted[Math.floor(sorted.length * 0.9)]! }
}

const bytesPerVm = await memory()
console.log(JSON.stringify({ ...(await latency()), bytesPerVm }))
